//! Names claimed by open tabs of this page. Uses Web Locks, which the browser releases when a tab
//! dies; without them (plain http), asks the other tabs on a `BroadcastChannel`.

use super::document::{listen, method, object, promise, property};
use super::time;
use js_sys::{Array, Function, Promise};
use leptos::prelude::window;
use std::cell::RefCell;
use std::collections::BTreeSet;
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
const WHO: &str = "who";

/// This tab's connection to the other tabs; clones share it.
#[derive(Clone)]
pub struct TabLocks(Rc<Inner>);

struct Inner {
    locks: Option<JsValue>,
    channel: Option<BroadcastChannel>,
    own: RefCell<BTreeSet<String>>,
    /// Answers received so far, for each pending question.
    asking: RefCell<Vec<TabNames>>,
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
    /// Calling the function releases the lock.
    Held(Function),
    GivenBack,
}

type SharedLock = Rc<RefCell<Lock>>;

impl Claim {
    pub fn is_of(&self, name: &str) -> bool {
        self.name == name
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.tabs.0.own.borrow_mut().remove(&self.name);
        give_back(&self.lock);
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
            own: RefCell::default(),
            asking: RefCell::default(),
        };
        let tabs = Self(Rc::new(inner));
        if let Some(channel) = &tabs.0.channel {
            let other = tabs.clone();
            listen(channel, "message", move |event: MessageEvent| {
                other.on_message(&event.data())
            })
            .for_good();
        }
        tabs
    }

    /// Claims a name; `None` if another tab has it.
    pub async fn claim(&self, name: &str) -> Option<Claim> {
        let claim = match &self.0.locks {
            Some(locks) => {
                let lock = SharedLock::default();
                // A failed lock request must not lock the user out.
                if let Ok(false) = request(locks, &format!("{PREFIX}{name}"), lock.clone()).await {
                    return None;
                }
                Claim {
                    name: name.to_owned(),
                    lock,
                    tabs: self.clone(),
                }
            }
            None if self.claimed_names().await.contains(name) => return None,
            None => Claim {
                name: name.to_owned(),
                lock: SharedLock::default(),
                tabs: self.clone(),
            },
        };
        self.0.own.borrow_mut().insert(name.to_owned());
        Some(claim)
    }

    /// Returns all names claimed by tabs, including this one.
    pub async fn claimed_names(&self) -> BTreeSet<String> {
        let mut names = match (&self.0.locks, &self.0.channel) {
            (Some(locks), _) => held_names(locks).await.unwrap_or_default(),
            (None, Some(channel)) => {
                let answers = TabNames::default();
                self.0.asking.borrow_mut().push(answers.clone());
                if channel.post_message(&WHO.into()).is_ok() {
                    time::pause(ANSWER_MS).await;
                }
                self.0
                    .asking
                    .borrow_mut()
                    .retain(|other| !Rc::ptr_eq(other, &answers));
                answers.take()
            }
            (None, None) => BTreeSet::new(),
        };
        names.extend(self.0.own.borrow().iter().cloned());
        names
    }

    fn on_message(&self, message: &JsValue) {
        if message.as_string().as_deref() == Some(WHO) {
            let own: Array = self.0.own.borrow().iter().map(JsValue::from).collect();
            // Fails only if nobody waits for the answer.
            let _ = self
                .0
                .channel
                .as_ref()
                .map(|channel| channel.post_message(&own));
        } else if let Some(names) = message.dyn_ref::<Array>() {
            for answers in self.0.asking.borrow().iter() {
                answers
                    .borrow_mut()
                    .extend(names.iter().filter_map(|name| name.as_string()));
            }
        }
    }
}

fn give_back(lock: &SharedLock) {
    if let Lock::Held(release) = lock.replace(Lock::GivenBack) {
        // Settling a promise cannot fail.
        let _ = release.call0(&JsValue::UNDEFINED);
    }
}

/// Requests a lock and returns whether it was granted. Fails if the browser refuses locks or does
/// not answer in time; `lock` takes the lock if it is granted later.
async fn request(locks: &JsValue, name: &str, lock: SharedLock) -> Result<bool, JsValue> {
    let (done, ended) = futures::channel::oneshot::channel();
    let given = Closure::once_into_js(move |granted: JsValue| -> JsValue {
        if granted.is_null() {
            // There is no receiver if the answer is late.
            let _ = done.send(false);
            return JsValue::UNDEFINED;
        }
        // The lock is held until this promise is settled.
        let held = Promise::new(&mut |release, _| {
            let is_over = matches!(*lock.borrow(), Lock::GivenBack);
            lock.replace(Lock::Held(release));
            if is_over {
                give_back(&lock);
            }
        });
        let _ = done.send(true);
        held.into()
    });
    let options = object([("ifAvailable", true.into())]);
    let promise: Promise = method(locks, "request")
        .ok_or("no locks")?
        .call3(locks, &name.into(), &options, &given)?
        .dyn_into()?;
    // If locks are forbidden, the promise fails and `given` is never called.
    wasm_bindgen_futures::spawn_local(async move {
        let _ = JsFuture::from(promise).await;
    });
    let late = std::pin::pin!(time::pause(ANSWER_MS));
    match futures::future::select(ended, late).await {
        futures::future::Either::Left((Ok(is_granted), _)) => Ok(is_granted),
        _ => Err(JsValue::from_str("no answer")),
    }
}

async fn held_names(locks: &JsValue) -> Option<BTreeSet<String>> {
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
