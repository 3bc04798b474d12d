//! An IndexedDB database with one store, which is also available on plain http. Knows nothing of
//! its content.

use super::file_tree::await_callbacks;
use js_sys::{Function, Object, Reflect};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    Event, IdbDatabase, IdbObjectStore, IdbObjectStoreParameters, IdbOpenDbRequest, IdbRequest,
    IdbTransaction,
};

/// How to create a database that does not exist yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct DatabaseSchema {
    pub(super) name: &'static str,
    pub(super) store: &'static str,
    /// Whether the store generates its own keys: numbers, in order.
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

    /// Begins a transaction of strict durability: once it reports completion, the data is on disk.
    pub(super) async fn begin(
        &self,
        mode: Mode,
    ) -> Result<(IdbTransaction, IdbObjectStore), JsValue> {
        let known = self
            .connection
            .borrow()
            .as_ref()
            .map(|connection| connection.database.clone());
        // A connection closed by the browser cannot start transactions any more.
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
        let options = Object::new();
        Reflect::set(&options, &"durability".into(), &"strict".into())?;
        // The bindings have the options only as unstable; browsers that do not know them ignore
        // them.
        let function: Function = Reflect::get(database, &"transaction".into())?.dyn_into()?;
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
    let factory = web_sys::window()
        .map(|window| window.indexed_db())
        .transpose()?
        .flatten();
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
    // A later build that changes the database must not wait for this page; the next use connects again, or fails.
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

/// A request's result, once it has arrived.
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
pub(super) fn wait_for_end(
    transaction: &IdbTransaction,
) -> impl Future<Output = Result<(), JsValue>> + use<> {
    let transaction = transaction.clone();
    let end = await_callbacks({
        let transaction = transaction.clone();
        move |ok, no| {
            transaction.set_oncomplete(Some(ok));
            transaction.set_onabort(Some(no));
            Ok(())
        }
    });
    async move {
        let end = end.await;
        end.map(drop).map_err(|_| {
            transaction
                .error()
                .map_or(JsValue::UNDEFINED, JsValue::from)
        })
    }
}
