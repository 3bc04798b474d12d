//! Signals while files are written: they are noted, what was done is taken back, and then the process ends by the signal.

use crate::error::CliError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Watches for signals until it is dropped; from then on they end the process as usual.
pub(super) struct Interrupt {
    came: Arc<AtomicUsize>,
    over: Arc<AtomicBool>,
}

impl Interrupt {
    pub(super) fn watch() -> Self {
        let watch = Self {
            came: Arc::default(),
            over: Arc::default(),
        };
        watch.register();
        watch
    }

    /// An error when a signal came.
    pub(super) fn check(&self) -> Result<(), CliError> {
        match self.came.load(Ordering::SeqCst) {
            0 => Ok(()),
            signal => Err(CliError::Interrupted(signal as i32)),
        }
    }

    #[cfg(unix)]
    fn register(&self) {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        use signal_hook::flag;
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // The first is asked first. Where a signal cannot be watched it ends the process, and the next run clears up.
            let _ = flag::register_conditional_default(signal, self.over.clone());
            let _ = flag::register_usize(signal, self.came.clone(), signal as usize);
        }
    }

    #[cfg(not(unix))]
    fn register(&self) {}
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
    }
}

/// Ends the process as the signal does.
pub(crate) fn end_by(signal: i32) {
    #[cfg(unix)]
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    #[cfg(not(unix))]
    let _ = signal;
}
