//! The browser's storage: journals and recent folders in IndexedDB, which also works on plain http,
//! and preferences in local storage.

use super::document::{listen, method, object, property};
use super::file_tree::{await_callbacks, error_message};
use futures::future::{Either, select};
use js_sys::Array;
use leptos::prelude::{document, window};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    BeforeUnloadEvent, Event, FileSystemHandle, IdbDatabase, IdbKeyRange, IdbObjectStore,
    IdbObjectStoreParameters, IdbOpenDbRequest, IdbRequest, IdbTransaction, Storage,
};

/// The schema of a database, to create it if it does not exist yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct DatabaseSchema {
    pub(super) name: &'static str,
    pub(super) store: &'static str,
    /// Whether the store generates its own keys: ascending numbers.
    pub(super) gives_keys: bool,
}

/// The access that a transaction has.
#[derive(Debug, Clone, Copy)]
pub(super) enum Mode {
    Read,
    Write,
}

/// A handle; clones share one connection, which is opened on first use and closed with the last
/// clone.
#[derive(Debug, Clone)]
pub(super) struct Database {
    design: DatabaseSchema,
    connection: Rc<RefCell<Option<Connection>>>,
}

#[derive(Debug)]
struct Connection {
    database: IdbDatabase,
    _on_version_change: Closure<dyn FnMut(Event)>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.database.set_onversionchange(None);
        // Transactions already begun run to completion.
        self.database.close();
    }
}

impl Database {
    pub(super) fn new(design: DatabaseSchema) -> Self {
        Self {
            design,
            connection: Rc::default(),
        }
    }

    /// Begins a transaction with strict durability: its data is on disk once it reports completion.
    pub(super) async fn begin(
        &self,
        mode: Mode,
    ) -> Result<(IdbTransaction, IdbObjectStore), JsValue> {
        let known = self
            .connection
            .borrow()
            .as_ref()
            .map(|connection| connection.database.clone());
        // A connection closed by the browser can no longer start transactions.
        if let Some(begun) = known.and_then(|database| self.begin_in(&database, mode).ok()) {
            return Ok(begun);
        }
        let connection = connect(self.design).await?;
        let begun = self.begin_in(&connection.database, mode);
        *self.connection.borrow_mut() = Some(connection);
        begun
    }

    fn begin_in(
        &self,
        database: &IdbDatabase,
        mode: Mode,
    ) -> Result<(IdbTransaction, IdbObjectStore), JsValue> {
        let options = object([("durability", "strict".into())]);
        // The bindings offer the options only as unstable. Browsers without support ignore them.
        let function = method(database, "transaction").ok_or("no transactions")?;
        let mode = match mode {
            Mode::Read => "readonly",
            Mode::Write => "readwrite",
        };
        let transaction: IdbTransaction = function
            .call3(database, &self.design.store.into(), &mode.into(), &options)?
            .unchecked_into();
        let store = transaction.object_store(self.design.store)?;
        Ok((transaction, store))
    }
}

async fn connect(design: DatabaseSchema) -> Result<Connection, JsValue> {
    let factory = window().indexed_db()?;
    let Some(factory) = factory.filter(|factory| factory.is_object()) else {
        return Err(JsValue::from_str("it has no IndexedDB"));
    };
    let request = factory.open_with_u32(design.name, 1)?;
    let fresh = Closure::once(move |event: Event| {
        let request: Option<IdbOpenDbRequest> = event.target().map(JsCast::unchecked_into);
        if let Some(database) = request.and_then(|request| request.result().ok()) {
            let parameters = IdbObjectStoreParameters::new();
            parameters.set_auto_increment(design.gives_keys);
            // A failure here fails the open, which reports it.
            let _ = database
                .unchecked_into::<IdbDatabase>()
                .create_object_store_with_optional_parameters(design.store, &parameters);
        }
    });
    request.set_onupgradeneeded(Some(fresh.as_ref().unchecked_ref()));
    let database: IdbDatabase = result(&request).await?.unchecked_into();
    // A later build that changes the database must not wait for this page; the next use connects
    // again, or fails.
    let on_version_change = Closure::<dyn FnMut(Event)>::new({
        let database = database.clone();
        move |_| database.close()
    });
    database.set_onversionchange(Some(on_version_change.as_ref().unchecked_ref()));
    Ok(Connection {
        database,
        _on_version_change: on_version_change,
    })
}

/// Waits for a request's result.
pub(super) async fn result(request: &IdbRequest) -> Result<JsValue, JsValue> {
    let answer = await_callbacks(|ok, no| {
        request.set_onsuccess(Some(ok));
        request.set_onerror(Some(no));
        Ok(())
    });
    answer.await.map_err(|_| {
        request
            .error()
            .ok()
            .flatten()
            .map_or(JsValue::UNDEFINED, JsValue::from)
    })?;
    request.result()
}

/// Resolves when the transaction is on disk, or with the error. Call it before the transaction's
/// requests.
pub(super) async fn wait_for_end(transaction: &IdbTransaction) -> Result<(), JsValue> {
    let end = await_callbacks(|ok, no| {
        transaction.set_oncomplete(Some(ok));
        transaction.set_onabort(Some(no));
        Ok(())
    });
    end.await.map(drop).map_err(|_| {
        transaction
            .error()
            .map_or(JsValue::UNDEFINED, JsValue::from)
    })
}

/// Keys are `[journal, number]`, values are lines.
const JOURNALS: DatabaseSchema = DatabaseSchema {
    name: "switchyard-journals",
    store: "lines",
    gives_keys: false,
};
/// Timeout after which the browser counts as unable to store: the user is waiting.
const PATIENCE_MS: u32 = 4_000;

/// A handle; clones share one connection.
#[derive(Debug, Clone)]
pub struct Journals(Database);

impl Default for Journals {
    fn default() -> Self {
        Self(Database::new(JOURNALS))
    }
}

/// The content to be written for one journal.
#[derive(Debug, Clone, Copy)]
pub struct Write<'a> {
    pub journal: &'a str,
    /// Delete existing lines first.
    pub clear: bool,
    /// Number of the first line.
    pub first: u32,
    pub lines: &'a [String],
    /// Journals to delete in the same transaction.
    pub remove: &'a [String],
}

impl Journals {
    /// Writes in one transaction. The error is the browser's message.
    pub async fn write(&self, write: Write<'_>) -> Result<(), String> {
        in_time(self.try_write(write)).await
    }

    pub async fn remove(&self, journal: &str) -> Result<(), String> {
        let remove = [journal.to_owned()];
        self.write(Write {
            journal,
            clear: true,
            first: 0,
            lines: &[],
            remove: &remove,
        })
        .await
    }

    /// Returns all journals with their whole text.
    pub async fn all(&self) -> Result<Vec<(String, String)>, String> {
        in_time(self.try_all()).await
    }

    async fn try_write(&self, write: Write<'_>) -> Result<(), JsValue> {
        let (transaction, lines) = self.0.begin(Mode::Write).await?;
        let done = wait_for_end(&transaction);
        for journal in write.remove {
            lines.delete(&all_of(journal)?)?;
        }
        if write.clear {
            lines.delete(&all_of(write.journal)?)?;
        }
        for (number, line) in (write.first..).zip(write.lines) {
            let key = Array::of2(&write.journal.into(), &number.into());
            if let Err(error) = lines.put_with_key(&line.into(), &key) {
                // Otherwise the deletions above would be committed. Fails only if the transaction has ended.
                let _ = transaction.abort();
                return Err(error);
            }
        }
        done.await
    }

    async fn try_all(&self) -> Result<Vec<(String, String)>, JsValue> {
        let (_transaction, lines) = self.0.begin(Mode::Read).await?;
        let (keys, values) = all_in(&lines).await?;
        let mut journals: Vec<(String, String)> = Vec::new();
        for (key, line) in keys.iter().zip(values.iter()) {
            let key: Array = key.unchecked_into();
            let (Some(journal), Some(line)) = (key.get(0).as_string(), line.as_string()) else {
                continue;
            };
            match journals.last_mut() {
                Some((last, text)) if *last == journal => text.push_str(&line),
                _ => journals.push((journal, line)),
            }
        }
        Ok(journals)
    }
}

/// Returns the keys and values of a store, in order.
async fn all_in(store: &IdbObjectStore) -> Result<(Array, Array), JsValue> {
    // Request both before awaiting either, so that they are consistent.
    let (keys, values) = (store.get_all_keys()?, store.get_all()?);
    let (keys, values) = futures::future::join(result(&keys), result(&values)).await;
    Ok((keys?.dyn_into()?, values?.dyn_into()?))
}

fn all_of(journal: &str) -> Result<JsValue, JsValue> {
    let journal = JsValue::from_str(journal);
    // An array is greater than every number.
    Ok(IdbKeyRange::bound(&Array::of1(&journal), &Array::of2(&journal, &Array::new()))?.into())
}

async fn in_time<T>(work: impl Future<Output = Result<T, JsValue>>) -> Result<T, String> {
    let work = std::pin::pin!(work);
    let late = std::pin::pin!(super::time::pause(PATIENCE_MS));
    match select(work, late).await {
        Either::Left((done, _)) => done.map_err(|error| error_message(&error)),
        Either::Right(_) => Err("the browser's storage does not answer".to_owned()),
    }
}

const RECENT_FOLDERS: DatabaseSchema = DatabaseSchema {
    name: "switchyard-recent",
    store: "folders",
    gives_keys: true,
};
/// Maximum number of folders kept; the oldest are dropped.
const KEPT: usize = 8;

#[derive(Debug, Clone)]
pub struct RecentFolder {
    /// Its key in the store.
    pub key: u32,
    pub name: String,
    /// Milliseconds since 1970.
    pub opened: f64,
    pub handle: FileSystemHandle,
}

/// Returns the stored folders, latest first.
pub async fn recent_folders() -> Vec<RecentFolder> {
    read(&Database::new(RECENT_FOLDERS))
        .await
        .unwrap_or_default()
}

/// Stores folders, or updates when they were opened.
pub async fn remember_folders(handles: Vec<FileSystemHandle>) {
    // A browser that stores nothing has no recent folders.
    let _ = keep(&Database::new(RECENT_FOLDERS), handles).await;
}

/// Removes a folder from the list. Does not touch the folder itself.
pub async fn forget_folder(key: u32) {
    let _ = delete(&Database::new(RECENT_FOLDERS), &[key]).await;
}

async fn read(folders: &Database) -> Result<Vec<RecentFolder>, JsValue> {
    let (_transaction, store) = folders.begin(Mode::Read).await?;
    let (keys, values) = all_in(&store).await?;
    let to_recent = |(key, value): (JsValue, JsValue)| {
        Some(RecentFolder {
            key: key.as_f64()? as u32,
            name: property(&value, "name").as_string()?,
            opened: property(&value, "opened").as_f64()?,
            handle: property(&value, "handle").dyn_into().ok()?,
        })
    };
    let mut all: Vec<RecentFolder> = keys
        .iter()
        .zip(values.iter())
        .filter_map(to_recent)
        .collect();
    all.sort_by(|a, b| b.opened.total_cmp(&a.opened));
    Ok(all)
}

async fn keep(folders: &Database, handles: Vec<FileSystemHandle>) -> Result<(), JsValue> {
    let known = read(folders).await?;
    for handle in handles {
        let mut key = None;
        for other in &known {
            if JsFuture::from(handle.is_same_entry(&other.handle))
                .await?
                .is_truthy()
            {
                key = Some(other.key);
            }
        }
        let value = object([
            ("name", handle.name().into()),
            ("opened", js_sys::Date::now().into()),
            ("handle", handle.into()),
        ]);
        let (transaction, store) = folders.begin(Mode::Write).await?;
        let done = wait_for_end(&transaction);
        match key {
            Some(key) => store.put_with_key(&value, &key.into())?,
            None => store.put(&value)?,
        };
        done.await?;
    }
    let old: Vec<u32> = read(folders)
        .await?
        .iter()
        .skip(KEPT)
        .map(|recent| recent.key)
        .collect();
    delete(folders, &old).await
}

async fn delete(folders: &Database, keys: &[u32]) -> Result<(), JsValue> {
    let (transaction, store) = folders.begin(Mode::Write).await?;
    let done = wait_for_end(&transaction);
    for &key in keys {
        store.delete(&key.into())?;
    }
    done.await
}

/// Prefix of our keys: other pages may share the origin.
const PREFIX: &str = "switchyard.";

/// Returns a preference; `None` if it was never set or the browser stores nothing.
pub fn preference(key: &str) -> Option<String> {
    storage()?.get_item(&format!("{PREFIX}{key}")).ok()?
}

/// Stores a preference. If the browser stores nothing, it is lost with the page.
pub fn set_preference(key: &str, value: &str) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(&format!("{PREFIX}{key}"), value);
    }
}

fn storage() -> Option<Storage> {
    window().local_storage().ok()?
}

/// Asks for confirmation before the page is left while `unsaved` returns true.
pub fn ask_before_leaving(unsaved: impl Fn() -> bool + 'static) {
    listen(
        &window(),
        "beforeunload",
        move |event: BeforeUnloadEvent| {
            if unsaved() {
                event.prevent_default();
                // Some browsers only ask if this is set.
                event.set_return_value("unsaved");
            }
        },
    )
    .permanently();
}

/// Calls `hide` when the page is hidden or left, since it may be terminated at any moment after
/// that.
pub fn on_hide(mut hide: impl FnMut() + Clone + 'static) {
    let mut left = hide.clone();
    listen(&window(), "pagehide", move |_: Event| left()).permanently();
    listen(&document(), "visibilitychange", move |_: Event| {
        if document().hidden() {
            hide();
        }
    })
    .permanently();
}

/// Calls back when the user returns to the page: the window is focused, or the tab is shown.
pub fn on_return(mut back: impl FnMut() + 'static) {
    listen(&window(), "focus", move |_: Event| back()).permanently();
}
