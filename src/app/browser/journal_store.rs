//! Lines of text in IndexedDB, which survive the tab. A write is one transaction with strict
//! durability: once its future resolves, all of it or nothing is on disk.

use super::database::{Database, DatabaseSchema, Mode, result, wait_for_end};
use super::file_tree::error_message;
use futures::future::{Either, select};
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::IdbKeyRange;

/// Keys are `[journal, number]`, values are lines.
const SCHEMA: DatabaseSchema = DatabaseSchema {
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
        Self(Database::new(SCHEMA))
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
    /// The error is the browser's message.
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

    /// All journals with their whole text.
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
            lines.put_with_key(&line.into(), &key)?;
        }
        done.await
    }

    async fn try_all(&self) -> Result<Vec<(String, String)>, JsValue> {
        let (_transaction, lines) = self.0.begin(Mode::Read).await?;
        // Request both before awaiting either, so that they are consistent.
        let (keys, values) = (lines.get_all_keys()?, lines.get_all()?);
        let (keys, values) = futures::future::join(result(&keys), result(&values)).await;
        let (keys, values): (Array, Array) = (keys?.unchecked_into(), values?.unchecked_into());
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
