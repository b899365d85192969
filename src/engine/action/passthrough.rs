use serde::Deserialize;

use super::Attempt;
use crate::engine::host::Host;
use crate::engine::reason::Reason;
use crate::engine::report::Report;

/// Leaves the output as it is, on purpose.
#[derive(Debug, Clone, Deserialize)]
pub struct Passthrough {}

impl Passthrough {
    pub(super) async fn perform<H: Host>(&self, _: &Attempt<'_, H>, _: &mut Report) -> Result<Option<String>, Reason> {
        Ok(None)
    }
}
