//! Folders that were opened before: their handles, kept in IndexedDB, which is the only store that takes them. A browser
//! that keeps nothing, or hands out no handles, has none, and nothing else is missing.

use super::tree::promised;
use js_sys::{Array, Object, Reflect};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{FileSystemHandle, IdbDatabase, IdbObjectStore, IdbOpenDbRequest, IdbRequest, IdbTransactionMode};

const DATABASE: &str = "switchyard-recent";
const STORE: &str = "folders";
/// So many are kept; the oldest go.
const KEPT: usize = 8;

/// A folder that was opened.
#[derive(Debug, Clone)]
pub struct Recent {
    /// Names it in the store.
    pub key: u32,
    pub name: String,
    /// Milliseconds since 1970.
    pub opened: f64,
    pub handle: FileSystemHandle,
}

/// The kept folders, the latest first.
pub async fn all() -> Vec<Recent> {
    read().await.unwrap_or_default()
}

/// Keeps folders, or notes that they were opened again.
pub async fn remember(handles: Vec<FileSystemHandle>) {
    // A browser that keeps nothing has no recent folders, and that is all.
    let _ = keep(handles).await;
}

/// Forgets a folder. The folder itself is not touched.
pub async fn forget(key: u32) {
    let _ = delete(&[key]).await;
}

async fn read() -> Result<Vec<Recent>, JsValue> {
    let database = open().await?;
    let store = store(&database, IdbTransactionMode::Readonly)?;
    let (keys, values) = (store.get_all_keys()?, store.get_all()?);
    let keys: Array = answered(keys).await?.dyn_into()?;
    let values: Array = answered(values).await?.dyn_into()?;
    let of = |(key, value): (JsValue, JsValue)| {
        let get = |name: &str| Reflect::get(&value, &name.into()).ok();
        let handle: FileSystemHandle = get("handle")?.dyn_into().ok()?;
        Some(Recent {
            key: key.as_f64()? as u32,
            name: get("name")?.as_string()?,
            opened: get("opened")?.as_f64()?,
            handle,
        })
    };
    let mut all: Vec<Recent> = keys.iter().zip(values.iter()).filter_map(of).collect();
    all.sort_by(|a, b| b.opened.total_cmp(&a.opened));
    Ok(all)
}

async fn keep(handles: Vec<FileSystemHandle>) -> Result<(), JsValue> {
    let known = read().await?;
    for handle in handles {
        let mut key = None;
        for other in &known {
            if JsFuture::from(handle.is_same_entry(&other.handle)).await?.is_truthy() {
                key = Some(other.key);
            }
        }
        let value = Object::new();
        Reflect::set(&value, &"name".into(), &handle.name().into())?;
        Reflect::set(&value, &"opened".into(), &js_sys::Date::now().into())?;
        Reflect::set(&value, &"handle".into(), &handle)?;
        let database = open().await?;
        let store = store(&database, IdbTransactionMode::Readwrite)?;
        let request = match key {
            Some(key) => store.put_with_key(&value, &key.into())?,
            None => store.put(&value)?,
        };
        answered(request).await?;
    }
    let old: Vec<u32> = read().await?.iter().skip(KEPT).map(|recent| recent.key).collect();
    delete(&old).await
}

async fn delete(keys: &[u32]) -> Result<(), JsValue> {
    for &key in keys {
        let database = open().await?;
        let store = store(&database, IdbTransactionMode::Readwrite)?;
        answered(store.delete(&key.into())?).await?;
    }
    Ok(())
}

/// A connection, which is closed when this is dropped.
struct Connection(IdbDatabase);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.close();
    }
}

async fn open() -> Result<Connection, JsValue> {
    let factory = web_sys::window().and_then(|window| window.indexed_db().ok().flatten()).ok_or("no IndexedDB")?;
    let request: IdbOpenDbRequest = factory.open_with_u32(DATABASE, 1)?;
    let upgrade = Closure::<dyn FnMut(web_sys::Event)>::new(|event: web_sys::Event| {
        let request: Option<IdbOpenDbRequest> = event.target().map(JsCast::unchecked_into);
        let result = request.and_then(|request| request.result().ok());
        let Some(database) = result.and_then(|found| found.dyn_into::<IdbDatabase>().ok()) else { return };
        let numbered = web_sys::IdbObjectStoreParameters::new();
        numbered.set_auto_increment(true);
        // Fails only where the store is there already.
        let _ = database.create_object_store_with_optional_parameters(STORE, &numbered);
    });
    request.set_onupgradeneeded(Some(upgrade.as_ref().unchecked_ref()));
    let opened = answered(request.clone().unchecked_into()).await;
    request.set_onupgradeneeded(None);
    Ok(Connection(opened?.dyn_into()?))
}

fn store(database: &Connection, mode: IdbTransactionMode) -> Result<IdbObjectStore, JsValue> {
    database.0.transaction_with_str_and_mode(STORE, mode)?.object_store(STORE)
}

/// A request's result, once it is there.
async fn answered(request: IdbRequest) -> Result<JsValue, JsValue> {
    let answer = promised(|ok, no| {
        request.set_onsuccess(Some(ok));
        request.set_onerror(Some(no));
        Ok(())
    });
    let ended = answer.await;
    request.set_onsuccess(None);
    request.set_onerror(None);
    ended?;
    request.result()
}
