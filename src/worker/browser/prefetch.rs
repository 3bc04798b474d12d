//! Lets the host prepare answers while no request waits: see [`crate::host::Host::prefetch_view`].

use super::channel::Shared;
use gloo::timers::callback::Timeout;

/// A user who sends another request within this time is still typing or dragging, and must not wait for a prefetch.
const REST_MS: u32 = 25;

/// Schedules a prefetch. Call after a preview.
pub(super) fn later(shared: &Shared) {
    let (shared, request_count) = (shared.clone(), shared.borrow().asked);
    let look = move || {
        let mut server = shared.borrow_mut();
        if server.asked == request_count && server.load.is_none() {
            server.host.prefetch_view();
        }
    };
    Timeout::new(REST_MS, look).forget();
}
