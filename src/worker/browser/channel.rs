//! Messages of the host worker: postcard bytes in transferred buffers, files beside them.

use super::scope::scope;
use crate::protocol::{Request, Response, ResponseBody, wire};
use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::MessageEvent;

/// Answers every request that comes from now on.
pub(super) fn serve() {
    let handler = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| {
        let parts: Array = event.data().unchecked_into();
        let bytes: Uint8Array = parts.get(0).unchecked_into();
        if let Some(Request { id, .. }) = wire::decode(&bytes.to_vec()) {
            post(&Response { id, revision: 0, body: ResponseBody::Failed { message: "not yet".into() } });
        }
    });
    scope().set_onmessage(Some(handler.as_ref().unchecked_ref()));
    handler.forget();
    post(&Response { id: 0, revision: 0, body: ResponseBody::Ready });
}

/// Sends to the page. A message that cannot be sent has no one to be told.
pub(super) fn post(response: &Response) {
    if let Some(bytes) = wire::encode(response) {
        let bytes = Uint8Array::from(bytes.as_slice());
        let _ = scope().post_message_with_transfer(&bytes, &Array::of1(&JsValue::from(bytes.buffer())));
    }
}
