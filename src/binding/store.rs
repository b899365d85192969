//! The engine's stores as native classes; `api/stores.ts` makes `LocalFileStore` and `MemoryStore` of them.

use std::path::PathBuf;
use std::sync::OnceLock;

use napi::Env;
use napi::bindgen_prelude::{PromiseRaw, Result, Uint8Array};
use napi_derive::napi;

use super::limits::NativeAbort;
use super::units::Units;
use crate::engine::Reason;
use crate::engine::off_thread;
use crate::engine::store::{LocalOptions, LocalStore, MemoryStore, StoreError};

/// The store in the default place, one for the process: it has no state but its root.
pub fn default_store() -> LocalStore {
    static STORE: OnceLock<LocalStore> = OnceLock::new();
    STORE.get_or_init(|| LocalStore::new(LocalOptions::default())).clone()
}

/// Options of a file store, checked by the entry.
#[napi(object, object_to_js = false)]
pub struct NativeLocalOptions {
    /// The directory.
    pub root: Option<String>,
    /// Age in milliseconds after which results are deleted.
    pub cleanup_after_ms: Option<f64>,
    /// What may be stored in all, in bytes.
    pub max_bytes: Option<f64>,
    /// Size of a single result, in bytes.
    pub max_file_bytes: Option<f64>,
    /// A part of the root with handles of its own.
    pub scope: Option<String>,
}

/// Options of a store in memory, checked by the entry.
#[napi(object, object_to_js = false)]
pub struct NativeMemoryOptions {
    /// What may be stored in all, in bytes.
    pub max_bytes: Option<f64>,
}

/// What a store answered; a `reason` where it failed.
#[napi(object, object_from_js = false)]
#[derive(Default)]
pub struct NativeStored {
    /// A `FallbackReason`, or `not_found`.
    pub reason: Option<&'static str>,
    /// The handle.
    pub handle: Option<String>,
    /// The bytes asked for.
    pub bytes: Option<Uint8Array>,
    /// A size in bytes.
    pub size: Option<f64>,
    /// How many files.
    pub files: Option<f64>,
}

/// Results as files.
#[napi]
pub struct NativeLocalStore(pub(super) LocalStore);

/// Results in this process's memory.
#[napi]
pub struct NativeMemoryStore(pub(super) MemoryStore);

#[napi]
impl NativeLocalStore {
    /// A store with checked options. Touches no file.
    #[napi(constructor, catch_unwind)]
    pub fn new(options: NativeLocalOptions) -> Self {
        Self(LocalStore::new(LocalOptions {
            root: options.root.map(PathBuf::from),
            cleanup_after_ms: options.cleanup_after_ms,
            max_bytes: options.max_bytes,
            max_file_bytes: options.max_file_bytes,
            scope: options.scope,
        }))
    }

    /// The directory, absolute.
    #[napi(getter, catch_unwind)]
    pub fn root(&self) -> String {
        self.0.root().to_string_lossy().into_owned()
    }

    /// Deletes results on demand.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeStored>")]
    pub fn prune<'env>(
        &self,
        env: &'env Env,
        older_than_ms: Option<f64>,
        run_id: Option<Units>,
    ) -> Result<PromiseRaw<'env, NativeStored>> {
        let store = self.0.clone();
        answer(env, move || {
            let pruned = store.prune(older_than_ms, run_id.as_ref().map(|units| &units.0[..]))?;
            let (files, size) = (Some(pruned.files as f64), Some(pruned.bytes as f64));
            Ok(NativeStored { files, size, ..NativeStored::default() })
        })
    }
}

/// The operations that both stores have.
macro_rules! store_operations {
    ($class:ident) => {
        #[napi]
        impl $class {
            /// Stores bytes, as they are now, under a key.
            #[napi(catch_unwind, ts_return_type = "Promise<NativeStored>")]
            pub fn write<'env>(
                &self,
                env: &'env Env,
                key: String,
                data: Uint8Array,
                abort: &NativeAbort,
            ) -> Result<PromiseRaw<'env, NativeStored>> {
                let (store, bytes, abort) = (self.0.clone(), data.to_vec(), abort.0.clone());
                answer(env, move || {
                    let size = Some(bytes.len() as u64);
                    let written = store.write(&key, size, &mut |sink| {
                        if abort.is_set() {
                            return Err(StoreError::Unavailable(Reason::Aborted));
                        }
                        sink(&bytes)
                    })?;
                    Ok(NativeStored { handle: Some(written.handle), ..NativeStored::default() })
                })
            }

            /// The bytes of a range, cut to what there is; everything where none is given.
            #[napi(catch_unwind, ts_return_type = "Promise<NativeStored>")]
            pub fn read_range<'env>(
                &self,
                env: &'env Env,
                handle: String,
                start: Option<f64>,
                end: Option<f64>,
            ) -> Result<PromiseRaw<'env, NativeStored>> {
                let store = self.0.clone();
                answer(env, move || {
                    let file = store.open(&handle)?;
                    let end = end.map_or(file.size(), |end| file.size().min(end as u64));
                    let start = start.map_or(0, |start| start as u64).min(end);
                    let length = usize::try_from(end - start).map_err(|_| StoreError::Unavailable(Reason::TooLarge))?;
                    let bytes = file.read_at(start, length)?;
                    Ok(NativeStored { bytes: Some(bytes.into()), ..NativeStored::default() })
                })
            }

            /// The size of a result.
            #[napi(catch_unwind, ts_return_type = "Promise<NativeStored>")]
            pub fn size<'env>(&self, env: &'env Env, handle: String) -> Result<PromiseRaw<'env, NativeStored>> {
                let store = self.0.clone();
                answer(env, move || {
                    Ok(NativeStored { size: Some(store.open(&handle)?.size() as f64), ..NativeStored::default() })
                })
            }

            /// Deletes a result.
            #[napi(catch_unwind, ts_return_type = "Promise<NativeStored>")]
            pub fn delete<'env>(&self, env: &'env Env, handle: String) -> Result<PromiseRaw<'env, NativeStored>> {
                let store = self.0.clone();
                answer(env, move || {
                    if !store.delete(&handle)? {
                        return Err(StoreError::NotFound);
                    }
                    Ok(NativeStored::default())
                })
            }
        }
    };
}

store_operations!(NativeLocalStore);
store_operations!(NativeMemoryStore);

#[napi]
impl NativeMemoryStore {
    /// A store with checked options.
    #[napi(constructor, catch_unwind)]
    pub fn new(options: NativeMemoryOptions) -> Self {
        Self(MemoryStore::new(options.max_bytes.map(|bytes| bytes as u64)))
    }
}

fn answer<'env>(
    env: &'env Env,
    work: impl FnOnce() -> std::result::Result<NativeStored, StoreError> + Send + 'static,
) -> Result<PromiseRaw<'env, NativeStored>> {
    env.spawn_future(async move {
        let done = off_thread(move || Ok(work())).await;
        Ok(match done {
            Ok(Ok(stored)) => stored,
            Ok(Err(StoreError::NotFound)) => NativeStored { reason: Some("not_found"), ..NativeStored::default() },
            Ok(Err(error)) => NativeStored { reason: Some(error.reason().name()), ..NativeStored::default() },
            Err(reason) => NativeStored { reason: Some(reason.name()), ..NativeStored::default() },
        })
    })
}
