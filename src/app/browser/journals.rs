//! Lines of text that survive the tab: an IndexedDB database, which a browser has on plain http too. A write is one
//! transaction with strict durability: it is there as a whole, on disk, when its future ends, or not at all.

use super::tree::{promised, words};
use futures::future::{Either, select};
use js_sys::{Array, Function, Reflect};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{IdbDatabase, IdbKeyRange, IdbObjectStore, IdbOpenDbRequest, IdbRequest, IdbTransaction};

const DATABASE: &str = "switchyard-journals";
/// Keys are `[journal, number]`, values are lines.
const LINES: &str = "lines";
/// A browser that does not answer so long is treated as one that cannot: the user waits for it.
const PATIENCE_MS: u32 = 4_000;

/// A handle; clones share one connection. It is made when it is needed first.
#[derive(Debug, Clone, Default)]
pub struct Journals(Rc<RefCell<Option<IdbDatabase>>>);

/// What is to be written of one journal.
#[derive(Debug, Clone, Copy)]
pub struct Write<'a> {
    pub journal: &'a str,
    /// The lines that are there go first.
    pub clear: bool,
    /// Number of the first line.
    pub first: u32,
    pub lines: &'a [String],
    /// Journals that go with it.
    pub remove: &'a [String],
}

impl Journals {
    /// The error is in the browser's words.
    pub async fn write(&self, write: Write<'_>) -> Result<(), String> {
        in_time(self.try_write(write)).await
    }

    pub async fn remove(&self, journal: &str) -> Result<(), String> {
        let remove = [journal.to_owned()];
        self.write(Write { journal, clear: true, first: 0, lines: &[], remove: &remove }).await
    }

    /// All journals with their whole text.
    pub async fn all(&self) -> Result<Vec<(String, String)>, String> {
        in_time(self.try_all()).await
    }

    async fn try_write(&self, write: Write<'_>) -> Result<(), JsValue> {
        let (transaction, lines) = self.transaction("readwrite").await?;
        let done = ended(&transaction);
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
        let (_transaction, lines) = self.transaction("readonly").await?;
        // Both are asked for before the first answer, so that they are of one moment.
        let (keys, values) = (lines.get_all_keys()?, lines.get_all()?);
        let (keys, values) = futures::future::join(result(&keys), result(&values)).await;
        let (keys, values): (Array, Array) = (keys?.unchecked_into(), values?.unchecked_into());
        let mut journals: Vec<(String, String)> = Vec::new();
        for (key, line) in keys.iter().zip(values.iter()) {
            let key: Array = key.unchecked_into();
            let (Some(journal), Some(line)) = (key.get(0).as_string(), line.as_string()) else { continue };
            match journals.last_mut() {
                Some((last, text)) if *last == journal => text.push_str(&line),
                _ => journals.push((journal, line)),
            }
        }
        Ok(journals)
    }

    async fn transaction(&self, mode: &str) -> Result<(IdbTransaction, IdbObjectStore), JsValue> {
        let begin = |database: &IdbDatabase| -> Result<(IdbTransaction, IdbObjectStore), JsValue> {
            let options = js_sys::Object::new();
            Reflect::set(&options, &"durability".into(), &"strict".into())?;
            // The bindings know the options only as unstable; browsers that do not know them pass over them.
            let function: Function = Reflect::get(database, &"transaction".into())?.dyn_into()?;
            let transaction: IdbTransaction =
                function.call3(database, &LINES.into(), &mode.into(), &options)?.unchecked_into();
            let lines = transaction.object_store(LINES)?;
            Ok((transaction, lines))
        };
        let known = self.0.borrow().clone();
        // A connection that the browser has closed begins nothing any more.
        if let Some(begun) = known.as_ref().and_then(|database| begin(database).ok()) {
            return Ok(begun);
        }
        let database = connect().await?;
        let begun = begin(&database);
        *self.0.borrow_mut() = Some(database);
        begun
    }
}

async fn connect() -> Result<IdbDatabase, JsValue> {
    let factory = web_sys::window().map(|window| window.indexed_db()).transpose()?.flatten();
    let Some(factory) = factory.filter(|factory| factory.is_object()) else {
        return Err(JsValue::from_str("it has no IndexedDB"));
    };
    let request = factory.open_with_u32(DATABASE, 1)?;
    let fresh = Closure::once(move |event: web_sys::Event| {
        let request: Option<IdbOpenDbRequest> = event.target().map(JsCast::unchecked_into);
        if let Some(database) = request.and_then(|request| request.result().ok()) {
            // What fails here fails the open, which tells.
            let _ = database.unchecked_into::<IdbDatabase>().create_object_store(LINES);
        }
    });
    request.set_onupgradeneeded(Some(fresh.as_ref().unchecked_ref()));
    let database: IdbDatabase = result(&request).await?.unchecked_into();
    // A later build that changes the database must not wait for this page; the next write connects again, or fails.
    let close = Closure::<dyn FnMut(web_sys::Event)>::new({
        let database = database.clone();
        move |_| database.close()
    });
    database.set_onversionchange(Some(close.as_ref().unchecked_ref()));
    close.forget();
    Ok(database)
}

fn all_of(journal: &str) -> Result<JsValue, JsValue> {
    let journal = JsValue::from_str(journal);
    // An array is greater than every number.
    Ok(IdbKeyRange::bound(&Array::of1(&journal), &Array::of2(&journal, &Array::new()))?.into())
}

async fn result(request: &IdbRequest) -> Result<JsValue, JsValue> {
    let answer = promised(|ok, no| {
        request.set_onsuccess(Some(ok));
        request.set_onerror(Some(no));
        Ok(())
    });
    answer.await.map_err(|_| request.error().ok().flatten().map_or(JsValue::UNDEFINED, JsValue::from))?;
    request.result()
}

/// Ends when the transaction is on disk, or with the reason why it is not. To be called before the transaction's requests.
fn ended(transaction: &IdbTransaction) -> impl Future<Output = Result<(), JsValue>> {
    let transaction = transaction.clone();
    let end = promised({
        let transaction = transaction.clone();
        move |ok, no| {
            transaction.set_oncomplete(Some(ok));
            transaction.set_onabort(Some(no));
            Ok(())
        }
    });
    async move {
        let end = end.await;
        end.map(drop).map_err(|_| transaction.error().map_or(JsValue::UNDEFINED, JsValue::from))
    }
}

async fn in_time<T>(work: impl Future<Output = Result<T, JsValue>>) -> Result<T, String> {
    let work = std::pin::pin!(work);
    let late = std::pin::pin!(super::time::pause(PATIENCE_MS));
    match select(work, late).await {
        Either::Left((done, _)) => done.map_err(|error| words(&error)),
        Either::Right(_) => Err("the browser's storage does not answer".to_owned()),
    }
}
