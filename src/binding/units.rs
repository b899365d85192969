//! UTF-16 units of a JavaScript string.

use std::ptr;
use std::sync::{Mutex, PoisonError};

use napi::bindgen_prelude::{FromNapiValue, JsValue, Result, TypeName, ValidateNapiValue};
use napi::{JsString, ValueType, check_status, sys};

/// The units of a string, lone surrogates included. napi's own type gives them only as a copy.
pub struct Units(pub Vec<u16>);

/// Memory of windows that were worked on. Fresh memory would be cleared by the system page by page, on the main
/// thread; what is here was touched before.
static USED: Mutex<Vec<Vec<u16>>> = Mutex::new(Vec::new());
/// How many are kept: as many as one large text has under way.
const MOST_USED: usize = 4;
/// Smaller ones are not worth it.
const LEAST: usize = 256 * 1024;

/// Takes the memory of a window back.
pub fn give_back(units: Vec<u16>) {
    if units.capacity() >= LEAST {
        let mut used = USED.lock().unwrap_or_else(PoisonError::into_inner);
        if used.len() < MOST_USED {
            used.push(units);
        }
    }
}

fn room_for(length: usize) -> Vec<u16> {
    if length >= LEAST
        && let Some(mut units) = USED.lock().unwrap_or_else(PoisonError::into_inner).pop()
    {
        units.clear();
        units.reserve_exact(length);
        return units;
    }
    Vec::with_capacity(length)
}

impl TypeName for Units {
    fn type_name() -> &'static str {
        "String(utf16)"
    }

    fn value_type() -> ValueType {
        ValueType::String
    }
}

impl ValidateNapiValue for Units {}

impl FromNapiValue for Units {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> Result<Self> {
        let mut length = 0;
        // SAFETY: `env` and `value` are valid for this call; a null buffer asks for the length only.
        check_status!(unsafe { sys::napi_get_value_string_utf16(env, value, ptr::null_mut(), 0, &mut length) })?;
        // SAFETY: as above.
        unsafe { copy(env, value, length) }.map(Self)
    }
}

/// The first units of a string, at most so many.
pub fn first(text: &JsString, most: usize) -> Result<Vec<u16>> {
    let value = text.value();
    // SAFETY: a `JsString` is a value of this call.
    unsafe { copy(value.env, value.value, most) }
}

unsafe fn copy(env: sys::napi_env, value: sys::napi_value, most: usize) -> Result<Vec<u16>> {
    let mut units = room_for(most + 1);
    let mut written = 0;
    // SAFETY: the buffer has room for so many units and the zero that ends them; `written` units were initialised.
    unsafe {
        check_status!(sys::napi_get_value_string_utf16(env, value, units.as_mut_ptr(), most + 1, &mut written))?;
        units.set_len(written);
    }
    Ok(units)
}
