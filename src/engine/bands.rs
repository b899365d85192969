//! Which band a size reaches, and which bands a tool has.

use std::collections::HashMap;
use std::sync::Arc;

use globset::{GlobBuilder, GlobMatcher};

use super::action::Action;

/// From a size on, what to do.
#[derive(Debug, Clone)]
pub struct Band {
    /// The smallest size that reaches the band, inclusive.
    pub over: f64,
    /// The action and its fallbacks, in order. Shared: bands are cloned for every call.
    pub steps: Arc<[Action]>,
}

/// The bands of a tool, largest first.
#[derive(Debug, Clone, Default)]
pub struct Bands(Arc<[Band]>);

impl Bands {
    /// Sorts bands; their order in a configuration does not matter.
    pub fn new(mut bands: Vec<Band>) -> Self {
        bands.sort_by(|a, b| b.over.total_cmp(&a.over));
        Self(bands.into())
    }

    /// The band with the largest `over` that a size reaches.
    pub fn choose(&self, size: f64) -> Option<&Band> {
        self.0.iter().find(|band| band.over <= size)
    }

    /// The smallest size that reaches any band; infinity where there is none.
    pub fn threshold(&self) -> f64 {
        self.0.last().map_or(f64::INFINITY, |band| band.over)
    }
}

/// The bands of all tools: exact names beat globs, a longer glob beats a shorter one.
#[derive(Debug, Default)]
pub struct ToolBands {
    common: Bands,
    exact: HashMap<String, Bands>,
    globs: Vec<(GlobMatcher, Bands)>,
}

impl ToolBands {
    /// Bands for every tool without bands of its own, and the bands by name or glob.
    pub fn new(common: Bands, per_tool: Vec<(String, Bands)>) -> Result<Self, globset::Error> {
        let mut globs = Vec::new();
        for (name, bands) in &per_tool {
            if is_glob(name) {
                globs.push((name.encode_utf16().count(), compile_glob(name)?, bands.clone()));
            }
        }
        globs.sort_by_key(|(length, ..)| std::cmp::Reverse(*length));
        Ok(Self {
            common,
            exact: per_tool.into_iter().collect(),
            globs: globs.into_iter().map(|(_, glob, bands)| (glob, bands)).collect(),
        })
    }

    /// The bands of a tool.
    pub fn of(&self, tool_name: &str) -> &Bands {
        if let Some(bands) = self.exact.get(tool_name) {
            return bands;
        }
        self.globs.iter().find(|(glob, _)| glob.is_match(tool_name)).map_or(&self.common, |(_, bands)| bands)
    }
}

/// Whether a name is to be read as a glob.
fn is_glob(name: &str) -> bool {
    name.contains(['*', '?', '[', ']', '{', '}', '\\'])
}

/// Compiles a glob in globset's syntax. Tool names are no paths: separators are not special.
pub fn compile_glob(glob: &str) -> Result<GlobMatcher, globset::Error> {
    let glob = GlobBuilder::new(glob).literal_separator(false).backslash_escape(true).build()?;
    Ok(glob.compile_matcher())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bands(overs: &[f64]) -> Bands {
        let steps: Arc<[Action]> = Arc::from(Action::chain(r#"[{"type":"passthrough"}]"#).unwrap());
        Bands::new(overs.iter().map(|&over| Band { over, steps: Arc::clone(&steps) }).collect())
    }

    #[test]
    fn the_largest_band_that_the_size_reaches_is_chosen() {
        let bands = bands(&[100.0, 0.0, 1000.0]);
        for (size, over) in [(0.0, 0.0), (99.0, 0.0), (100.0, 100.0), (999.5, 100.0), (1000.0, 1000.0), (1e9, 1000.0)] {
            assert_eq!(bands.choose(size).map(|band| band.over), Some(over), "size {size}");
        }
        assert!(Bands::default().choose(1e9).is_none());
        assert_eq!(Bands::default().threshold(), f64::INFINITY);
        assert_eq!(bands.threshold(), 0.0);
    }

    #[test]
    fn exact_names_beat_globs_and_the_longer_glob_wins() {
        let per_tool = [("*", 1.0), ("db_*", 2.0), ("db_{query,read}", 3.0), ("db_query", 4.0), ("[!a]*", 5.0)];
        let tools = ToolBands::new(
            bands(&[9.0]),
            per_tool.iter().map(|(name, over)| (name.to_string(), bands(&[*over]))).collect(),
        )
        .unwrap();
        for (tool, over) in
            [("db_query", 4.0), ("db_read", 3.0), ("db_write", 5.0), ("a/b.c", 1.0), ("constructor", 5.0)]
        {
            assert_eq!(tools.of(tool).threshold(), over, "{tool}");
        }
        let plain = ToolBands::new(bands(&[9.0]), Vec::new()).unwrap();
        assert_eq!(plain.of("__proto__").threshold(), 9.0);
    }

    #[test]
    fn a_glob_that_does_not_parse_is_an_error() {
        for glob in ["[", "{a", "a[b-", "{a,{b}"] {
            assert!(compile_glob(glob).is_err(), "{glob}");
        }
    }
}
