//! Goes through the made-up drop of [`FirstOpen`] before anything was dropped: in this worker, and its files through the
//! indexers. The page decodes the answers and forgets them. The first request ends it.

use super::channel::{Shared, post, post_event};
use super::indexer::Job;
use crate::index_scheduler::SMALL;
use crate::warmup::first_open::{self, FirstOpen};
use gloo::timers::callback::Timeout;
use js_sys::{Array, Uint8Array};
use protocol::response::{Event, Response};
use web_sys::File;

/// Between two steps the worker listens.
const PAUSE_MS: u32 = 4;
/// The indexers are waited for in so many pauses.
const MOST_PAUSES: u32 = 500;
/// The load that no open has: what is indexed for it is counted and dropped.
pub(super) const NO_LOAD: u32 = 0;

/// What was gone through so far.
struct Progress {
    /// When the page had asked for something last.
    asked: f64,
    answers: u32,
    pauses: u32,
}

pub(super) fn begin(shared: &Shared) {
    give_to_indexers(shared);
    let asked = shared.borrow().asked;
    later(
        shared.clone(),
        FirstOpen::default(),
        Progress {
            asked,
            answers: 0,
            pauses: 0,
        },
    );
}

fn later(shared: Shared, mut first_open: FirstOpen, mut progress: Progress) {
    let step = move || {
        let (asked, files) = (shared.borrow().asked, shared.borrow().warmed_files);
        if asked != progress.asked {
            return;
        }
        match first_open.next() {
            Some(answer) => {
                if let Some((request, Ok(answer))) = answer {
                    progress.answers += 1;
                    post(&Response::Event(Event::Rehearsed(request)), &answer);
                }
            }
            None if files == 0 && progress.pauses < MOST_PAUSES => progress.pauses += 1,
            None => {
                return post_event(Event::WarmedUp {
                    files,
                    answers: progress.answers,
                });
            }
        }
        later(shared, first_open, progress);
    };
    Timeout::new(PAUSE_MS, step).forget();
}

/// Every indexer gets every file, longer than what is read in one piece.
fn give_to_indexers(shared: &Shared) {
    let padding = Uint8Array::from("\n".repeat(SMALL as usize).as_bytes());
    for ((text, times), number) in first_open::texts_for_indexers().into_iter().zip(0..) {
        let bytes = Uint8Array::from(text.as_bytes());
        let parts: Array = std::iter::repeat_n(&bytes, times)
            .chain([&padding])
            .collect();
        let Ok(source) = File::new_with_u8_array_sequence(&parts, "catalog") else {
            continue;
        };
        let job = Job {
            load: NO_LOAD,
            file: number,
            source,
        }
        .to_message();
        // A port to an indexer that is gone accepts it, too.
        shared
            .borrow()
            .indexers
            .values()
            .for_each(|indexer| drop(indexer.port.post_message(&job)));
    }
}
