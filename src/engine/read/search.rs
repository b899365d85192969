use super::Page;
use super::arguments::{Arguments, Caps};
use super::source::ReadError;
use super::view::View;
pub(super) fn page(_: &View<'_>, _: &str, _: &Arguments, _: &Caps) -> Result<Page, ReadError> {
    Ok(Page::default())
}
