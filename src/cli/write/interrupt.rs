//! Signals while files are written: they are recorded, the files are restored, and then the process ends by the signal.

use crate::error::CliError;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

/// Collects signals until it is dropped; afterwards they end the process as usual.
pub(super) struct Interrupt {
    /// A server may receive two saves at once.
    _one_at_a_time: MutexGuard<'static, ()>,
}

/// The handlers are registered once: those of an earlier save would end the process during a later one.
struct Handlers {
    /// The last signal; 0 if there was none.
    signal: Arc<AtomicUsize>,
    is_idle: Arc<AtomicBool>,
}

static HANDLERS: LazyLock<Handlers> = LazyLock::new(Handlers::register);
static WATCHING: Mutex<()> = Mutex::new(());

impl Interrupt {
    pub(super) fn watch() -> Self {
        let one_at_a_time = WATCHING.lock().unwrap_or_else(PoisonError::into_inner);
        HANDLERS.signal.store(0, Ordering::SeqCst);
        HANDLERS.is_idle.store(false, Ordering::SeqCst);
        Self {
            _one_at_a_time: one_at_a_time,
        }
    }

    /// Fails after a signal.
    pub(super) fn check(&self) -> Result<(), CliError> {
        match HANDLERS.signal.load(Ordering::SeqCst) {
            0 => Ok(()),
            signal => Err(CliError::Interrupted(signal as i32)),
        }
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        HANDLERS.is_idle.store(true, Ordering::SeqCst);
    }
}

impl Handlers {
    fn register() -> Self {
        let handlers = Self {
            signal: Arc::default(),
            is_idle: Arc::new(AtomicBool::new(true)),
        };
        #[cfg(unix)]
        {
            use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
            use signal_hook::flag;
            for signal in [SIGINT, SIGTERM, SIGHUP] {
                // Called in the order of registration. If it fails, the signal ends the process without restoring.
                let _ = flag::register_conditional_default(signal, handlers.is_idle.clone());
                let _ = flag::register_usize(signal, handlers.signal.clone(), signal as usize);
            }
        }
        handlers
    }
}

/// Ends the process as the signal does.
pub(crate) fn end_by(signal: i32) {
    #[cfg(unix)]
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    #[cfg(not(unix))]
    let _ = signal;
}
