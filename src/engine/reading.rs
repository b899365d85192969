//! Reading a spilled result back: whose handle it is, where it is stored, and what is said when it is not found.

use std::sync::Arc;

use super::call::Backend;
use super::host::{Elsewhere, Host};
use super::limits::Limits;
use super::read::{
    Arguments, Caps, MemorySource, NOT_AN_OBJECT, Page, RawArguments, ReadError, Source, candidates, check, read, say,
    unavailable, unknown,
};
use super::store::{LocalFile, StoreError, kind_of, segment};
use super::work::{off_thread, waiting};

/// A page, or why there is none.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Why there is no page.
    pub problem: Option<Problem>,
    /// The handle that was meant, where one was found.
    pub handle: Option<String>,
    /// The page; of a problem only its notice.
    pub page: Page,
}

/// Why there is no page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// The arguments make no sense.
    Arguments,
    /// The handle names nothing, or nothing of the caller's run.
    Unknown,
    /// The store failed; the handle may be right.
    Unavailable,
}

impl Problem {
    /// The name in the public API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Arguments => "arguments",
            Self::Unknown => "unknown",
            Self::Unavailable => "unavailable",
        }
    }
}

impl Limits {
    /// Reads a page of a stored result. `raw` is `None` where the arguments are no object.
    pub async fn read<H: Host>(&self, host: &H, raw: Option<RawArguments>, run: &[u16], store: &Backend) -> Answer {
        let caps = Caps { max_lines: self.read_tool.max_lines as u64, max_chars: self.read_tool.max_chars };
        let checked = raw.ok_or_else(|| NOT_AN_OBJECT.to_owned()).and_then(|raw| check(raw, &caps));
        let arguments = match checked {
            Ok(arguments) => Arc::new(arguments),
            Err(notice) => return Answer::problem(Problem::Arguments, notice),
        };
        let mut failed = false;
        for handle in candidates(&arguments.handle) {
            match self.read_candidate(host, &handle, &arguments, &caps, run, store).await {
                Ok(page) => {
                    return Answer { problem: None, handle: Some(handle), page };
                }
                Err(ReadError::Unavailable) => failed = true,
                Err(ReadError::Gone) => {}
            }
        }
        if failed {
            return Answer::problem(Problem::Unavailable, unavailable());
        }
        let known = self.offered(&String::from_utf16_lossy(run));
        Answer::problem(Problem::Unknown, unknown(&known))
    }

    /// The text of an answer. Read by the model.
    pub fn say(&self, answer: &Answer) -> String {
        say(&answer.page, &self.read_tool.name, answer.handle.as_deref().unwrap_or_default())
    }

    async fn read_candidate<H: Host>(
        &self,
        host: &H,
        handle: &str,
        arguments: &Arc<Arguments>,
        caps: &Caps,
        run: &[u16],
        store: &Backend,
    ) -> Result<Page, ReadError> {
        let (arguments, caps) = (Arc::clone(arguments), *caps);
        let own_run = handle.split_once('/').is_some_and(|(first, _)| first == segment(run));
        let refused = self.read_tool.own_run_only && !own_run;
        match store {
            Backend::Host { .. } => {
                let Elsewhere { source, key, run: written_by } = host.store_open(handle.to_owned()).await?;
                let is_own = written_by.map_or(!refused, |run_id| run_id == String::from_utf16_lossy(run));
                if self.read_tool.own_run_only && !is_own {
                    return Err(ReadError::Gone);
                }
                let kind = kind_of(key.as_deref().unwrap_or(handle));
                waiting(move || read(&*source, kind.as_ref(), &arguments, &caps))
                    .await
                    .unwrap_or(Err(ReadError::Unavailable))
            }
            _ if refused => Err(ReadError::Gone),
            Backend::Local(store) => {
                let (store, handle) = (store.clone(), handle.to_owned());
                let work = move || {
                    let source = LocalSource(store.open(&handle)?);
                    read(&source, kind_of(&handle).as_ref(), &arguments, &caps)
                };
                off_thread(move || Ok(work())).await.unwrap_or(Err(ReadError::Unavailable))
            }
            Backend::Memory(store) => {
                let (store, handle) = (store.clone(), handle.to_owned());
                let work = move || {
                    let source = MemorySource::new(Arc::clone(store.open(&handle)?.bytes()));
                    read(&source, kind_of(&handle).as_ref(), &arguments, &caps)
                };
                off_thread(move || Ok(work())).await.unwrap_or(Err(ReadError::Unavailable))
            }
        }
    }
}

impl Answer {
    fn problem(problem: Problem, notice: String) -> Self {
        Self { problem: Some(problem), handle: None, page: Page::nothing(notice, 0) }
    }
}

/// A stored file as the reader sees it.
struct LocalSource(LocalFile);

impl Source for LocalSource {
    fn size(&self) -> u64 {
        self.0.size()
    }

    fn read_at(&self, offset: u64, len: usize) -> Result<Vec<u8>, ReadError> {
        Ok(self.0.read_at(offset, len)?)
    }

    fn read_into(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, ReadError> {
        Ok(self.0.read_into(offset, buffer)?)
    }

    fn identity(&self) -> Option<super::store::Identity> {
        Some(self.0.identity())
    }
}

impl From<StoreError> for ReadError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound => Self::Gone,
            _ => Self::Unavailable,
        }
    }
}
