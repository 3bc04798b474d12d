//! Watches folders for changes with `FileSystemObserver`, if the browser has it.

use js_sys::{Array, Function, Object, Reflect};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::FileSystemHandle;

/// Watches for its lifetime.
pub struct FolderObserver {
    observer: JsValue,
    _on_change: Closure<dyn FnMut(JsValue)>,
}

impl FolderObserver {
    /// Watches folders recursively; `None` if the browser has no observer, or it fails.
    pub async fn start(
        handles: &[FileSystemHandle],
        mut on_change: impl FnMut() + 'static,
    ) -> Option<Self> {
        let make: Function = Reflect::get(&js_sys::global(), &"FileSystemObserver".into())
            .ok()?
            .dyn_into()
            .ok()?;
        let on_change = Closure::<dyn FnMut(JsValue)>::new(move |_| on_change());
        let observer = Reflect::construct(&make, &Array::of1(on_change.as_ref())).ok()?;
        let this = Self {
            observer,
            _on_change: on_change,
        };
        let observe: Function = Reflect::get(&this.observer, &"observe".into())
            .ok()?
            .dyn_into()
            .ok()?;
        for handle in handles {
            let options = Object::new();
            Reflect::set(&options, &"recursive".into(), &JsValue::TRUE).ok()?;
            let begun = observe.call2(&this.observer, handle, &options).ok()?;
            JsFuture::from(begun.dyn_into::<js_sys::Promise>().ok()?)
                .await
                .ok()?;
        }
        Some(this)
    }
}

impl Drop for FolderObserver {
    fn drop(&mut self) {
        let disconnect = Reflect::get(&self.observer, &"disconnect".into()).ok();
        if let Some(disconnect) = disconnect.and_then(|found| found.dyn_into::<Function>().ok()) {
            // It does not matter if the observer is already gone.
            let _ = disconnect.call0(&self.observer);
        }
    }
}
