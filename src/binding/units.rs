//! UTF-16 units of a JavaScript string.

use std::ptr;

use napi::bindgen_prelude::{FromNapiValue, Result, TypeName, ValidateNapiValue};
use napi::{ValueType, check_status, sys};

/// The units of a string, lone surrogates included. napi's own type gives them only as a copy.
pub struct Units(pub Vec<u16>);

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
        let mut units: Vec<u16> = Vec::with_capacity(length + 1);
        let mut written = 0;
        // SAFETY: the buffer has room for the string and the zero that ends it; `written` units were initialised.
        unsafe {
            check_status!(sys::napi_get_value_string_utf16(env, value, units.as_mut_ptr(), length + 1, &mut written))?;
            units.set_len(written);
        }
        Ok(Self(units))
    }
}
