//! Recently opened folders: their handles in IndexedDB, the only store that accepts handles. If the
//! browser stores nothing or has no handles, the list is empty, and nothing else is affected.

use super::database::{Database, DatabaseSchema, Mode, result, wait_for_end};
use js_sys::{Array, Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::FileSystemHandle;

const SCHEMA: DatabaseSchema = DatabaseSchema {
    name: "switchyard-recent",
    store: "folders",
    gives_keys: true,
};
/// At most this many are kept; the oldest are dropped.
const KEPT: usize = 8;

/// A recent folder.
#[derive(Debug, Clone)]
pub struct RecentFolder {
    /// Its key in the store.
    pub key: u32,
    pub name: String,
    /// Milliseconds since 1970.
    pub opened: f64,
    pub handle: FileSystemHandle,
}

/// The stored folders, latest first.
pub async fn all() -> Vec<RecentFolder> {
    read(&Database::new(SCHEMA)).await.unwrap_or_default()
}

/// Stores folders, or updates when they were opened.
pub async fn remember(handles: Vec<FileSystemHandle>) {
    // A browser that stores nothing has no recent folders.
    let _ = keep(&Database::new(SCHEMA), handles).await;
}

/// Removes a folder from the list. Does not touch the folder itself.
pub async fn forget(key: u32) {
    let _ = delete(&Database::new(SCHEMA), &[key]).await;
}

async fn read(folders: &Database) -> Result<Vec<RecentFolder>, JsValue> {
    let (_transaction, store) = folders.begin(Mode::Read).await?;
    // Request both before awaiting either, so that they are consistent.
    let (keys, values) = (store.get_all_keys()?, store.get_all()?);
    let (keys, values) = futures::future::join(result(&keys), result(&values)).await;
    let (keys, values): (Array, Array) = (keys?.dyn_into()?, values?.dyn_into()?);
    let of = |(key, value): (JsValue, JsValue)| {
        let get = |name: &str| Reflect::get(&value, &name.into()).ok();
        let handle: FileSystemHandle = get("handle")?.dyn_into().ok()?;
        Some(RecentFolder {
            key: key.as_f64()? as u32,
            name: get("name")?.as_string()?,
            opened: get("opened")?.as_f64()?,
            handle,
        })
    };
    let mut all: Vec<RecentFolder> = keys.iter().zip(values.iter()).filter_map(of).collect();
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
        let value = Object::new();
        Reflect::set(&value, &"name".into(), &handle.name().into())?;
        Reflect::set(&value, &"opened".into(), &js_sys::Date::now().into())?;
        Reflect::set(&value, &"handle".into(), &handle)?;
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
