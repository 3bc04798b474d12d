//! While nothing was dropped yet, the worker goes through a made-up drop, so that a first one finds its functions compiled.
//! Nobody sees it: its answers are decoded and forgotten.

use super::Client;
use crate::browser::{performance_marks, saving_wanted, time, workers};
use js_sys::Array;
use wasm_bindgen_futures::spawn_local;

impl Client {
    /// Once the page has nothing to do. Not at all where something is asked already, or data or power is to be saved.
    pub(super) fn warm_up(&self) {
        let client = self.clone();
        spawn_local(async move {
            if !workers::program_comes().await || saving_wanted::is_saving_wanted().await {
                return;
            }
            time::idle().await;
            let is_asked = client.0.opening.get()
                || client.0.recovering.get()
                || !client.0.sent.borrow().is_empty();
            if !is_asked {
                client.0.warm_up_began.set(performance_marks::now());
                client.post_to_host(&Array::of1(&"warm-up".into()), &Array::new());
            }
        });
    }

    /// The worker has gone through all of it.
    pub(super) fn note_warmed_up(&self, files: u32, answers: u32) {
        let counts = [("files", f64::from(files)), ("answers", f64::from(answers))];
        performance_marks::measure("warm-up", self.0.warm_up_began.get(), &counts);
    }
}
