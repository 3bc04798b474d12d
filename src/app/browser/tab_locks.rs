//! Names that open tabs of this page have claimed. Uses Web Locks, which the browser releases when
//! a tab dies; without them (plain http), asks the other tabs on a `BroadcastChannel`.

use super::document::{listen, method, object, promise, property};
use super::time;
use crate::reactive::spawn_local;
use futures::channel::oneshot;
use futures::future::{Either, select};
use js_sys::{Array, Function, Promise};
use leptos::prelude::window;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::pin::pin;
use std::rc::Rc;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{BroadcastChannel, MessageEvent};

/// Prefix of our names: other pages may share the origin.
const PREFIX: &str = "switchyard:";
/// Time for other tabs to answer; one in the background may be slow.
const ANSWER_MS: u32 = 900;
/// The question to other tabs; an answer is a list of names.
const LIST_NAMES: &str = "who";

/// This tab's connection to the other tabs; clones share it.
#[derive(Clone)]
pub struct TabLocks(Rc<Inner>);

struct Inner {
    locks: Option<JsValue>,
    channel: Option<BroadcastChannel>,
    own_names: RefCell<BTreeSet<String>>,
    /// The names received so far, for each unfinished call of [`TabLocks::claimed_names`].
    pending_answers: RefCell<Vec<TabNames>>,
}

type TabNames = Rc<RefCell<BTreeSet<String>>>;

/// A name claimed by this tab, released when this is dropped.
pub struct Claim {
    name: String,
    lock: SharedLock,
    tabs: TabLocks,
}

/// The browser's lock of a claim. A busy browser may grant it late, even after the claim has ended.
#[derive(Default)]
enum Lock {
    #[default]
    NotGranted,
    /// Calling this function releases the lock.
    Held(Function),
    Released,
}

type SharedLock = Rc<RefCell<Lock>>;

impl Claim {
    pub fn is_for(&self, name: &str) -> bool {
        self.name == name
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.tabs.0.own_names.borrow_mut().remove(&self.name);
        release(&self.lock);
    }
}

impl TabLocks {
    /// Joins the other tabs; call it once per page.
    pub fn join() -> Self {
        let locks = property(&window().navigator(), "locks");
        let locks = Some(locks).filter(JsValue::is_object);
        let has_channels = !property(&window(), "BroadcastChannel").is_undefined();
        let channel = (locks.is_none() && has_channels)
            .then(|| BroadcastChannel::new("switchyard").ok())
            .flatten();
        let inner = Inner {
            locks,
            channel,
            own_names: RefCell::default(),
            pending_answers: RefCell::default(),
        };
        let tabs = Self(Rc::new(inner));
        if let Some(channel) = &tabs.0.channel {
            let receiver = tabs.clone();
            listen(channel, "message", move |event: MessageEvent| {
                receiver.on_message(&event.data())
            })
            .permanently();
        }
        tabs
    }

    /// Claims a name; `None` if another tab has it.
    pub async fn claim(&self, name: &str) -> Option<Claim> {
        let lock = SharedLock::default();
        let is_taken = match &self.0.locks {
            // A failed lock request must not lock the user out.
            Some(locks) => matches!(
                request_lock(locks, &format!("{PREFIX}{name}"), lock.clone()).await,
                Ok(false)
            ),
            None => self.claimed_names().await.contains(name),
        };
        if is_taken {
            return None;
        }
        self.0.own_names.borrow_mut().insert(name.to_owned());
        Some(Claim {
            name: name.to_owned(),
            lock,
            tabs: self.clone(),
        })
    }

    /// Returns all names claimed by tabs, including this one.
    pub async fn claimed_names(&self) -> BTreeSet<String> {
        let mut names = match (&self.0.locks, &self.0.channel) {
            (Some(locks), _) => locked_names(locks).await.unwrap_or_default(),
            (None, Some(channel)) => {
                let answers = TabNames::default();
                self.0.pending_answers.borrow_mut().push(answers.clone());
                if channel.post_message(&LIST_NAMES.into()).is_ok() {
                    time::pause(ANSWER_MS).await;
                }
                self.0
                    .pending_answers
                    .borrow_mut()
                    .retain(|other| !Rc::ptr_eq(other, &answers));
                answers.take()
            }
            (None, None) => BTreeSet::new(),
        };
        names.extend(self.0.own_names.borrow().iter().cloned());
        names
    }

    fn on_message(&self, message: &JsValue) {
        if message.as_string().as_deref() == Some(LIST_NAMES) {
            let own_names: Array = self
                .0
                .own_names
                .borrow()
                .iter()
                .map(JsValue::from)
                .collect();
            if let Some(channel) = &self.0.channel {
                // A failed answer only delays the other tab.
                let _ = channel.post_message(&own_names);
            }
        } else if let Some(names) = message.dyn_ref::<Array>() {
            for answers in self.0.pending_answers.borrow().iter() {
                answers
                    .borrow_mut()
                    .extend(names.iter().filter_map(|name| name.as_string()));
            }
        }
    }
}

fn release(lock: &SharedLock) {
    if let Lock::Held(resolve) = lock.replace(Lock::Released) {
        // Settling a promise cannot fail.
        let _ = resolve.call0(&JsValue::UNDEFINED);
    }
}

/// Requests a lock and returns whether it was granted. Fails if the browser refuses locks or does
/// not answer in time; `lock` takes the lock if it is granted later.
async fn request_lock(locks: &JsValue, name: &str, lock: SharedLock) -> Result<bool, JsValue> {
    let (sender, receiver) = oneshot::channel();
    let on_answer = Closure::once_into_js(move |granted: JsValue| -> JsValue {
        if granted.is_null() {
            // There is no receiver if the answer is late.
            let _ = sender.send(false);
            return JsValue::UNDEFINED;
        }
        // The browser holds the lock until this promise is settled.
        let until_released = Promise::new(&mut |resolve, _| {
            let is_claim_over = matches!(*lock.borrow(), Lock::Released);
            lock.replace(Lock::Held(resolve));
            if is_claim_over {
                release(&lock);
            }
        });
        let _ = sender.send(true);
        until_released.into()
    });
    let options = object([("ifAvailable", true.into())]);
    let promise: Promise = method(locks, "request")
        .ok_or("no locks")?
        .call3(locks, &name.into(), &options, &on_answer)?
        .dyn_into()?;
    // If locks are forbidden, the promise fails and `on_answer` is never called.
    spawn_local(async move {
        let _ = JsFuture::from(promise).await;
    });
    let timeout = pin!(time::pause(ANSWER_MS));
    match select(receiver, timeout).await {
        Either::Left((Ok(is_granted), _)) => Ok(is_granted),
        _ => Err(JsValue::from_str("no answer")),
    }
}

/// Returns the names locked by all tabs; `None` if the browser does not list its locks.
async fn locked_names(locks: &JsValue) -> Option<BTreeSet<String>> {
    let answer = JsFuture::from(promise(locks, "query", &JsValue::UNDEFINED)?).await;
    let held: Array = property(&answer.ok()?, "held").dyn_into().ok()?;
    let names = held
        .iter()
        .filter_map(|lock| property(&lock, "name").as_string());
    Some(
        names
            .filter_map(|name| name.strip_prefix(PREFIX).map(str::to_owned))
            .collect(),
    )
}
