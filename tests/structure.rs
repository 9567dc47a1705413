//! The structure of `core/src`: a module uses only the layers below its own, no two files depend on
//! each other in a circle, no file and no folder is too large, and the words are ordinary ones.
//!
//! A file depends on another one if it names something that is defined there. Names are followed
//! through re-exports to the file that defines them. Modules of tests are left out.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree};

/// The layers, from the top down. The modules of one layer do not use each other, except in the
/// lowest layer.
const LAYERS: [&[&str]; 9] = [
    &["fuzzing", "http", "openapi"],
    &["engine", "records"],
    &["feed", "sync"],
    &["api"],
    &["dataset"],
    &["query"],
    &["record"],
    &["store"],
    &["clock", "date", "entropy", "error", "json", "url", "varint"],
];

/// The maximum number of lines of a file.
const MAX_LINES: usize = 450;
/// The maximum number of files in a folder, without `mod.rs`.
const MAX_FILES: usize = 16;

/// Words with a private meaning that the sources once had, and how many lines may still contain
/// one. Use the terms of databases and HTTP: store, cache, report, contain, unchanged, again.
const AVOIDED_WORDS: [&str; 27] = [
    "tell", "tells", "told", "telling", "keep", "keeps", "kept", "keeping", "hold", "holds",
    "held", "holding", "come", "comes", "came", "coming", "goes", "went", "going", "gone",
    "whoever", "nobody", "stand", "stands", "lies", "anew", "bake",
];
const MAX_AVOIDED: usize = 40;

/// Folders with one file for each kind of record, and for each endpoint.
const CATALOGUES: [&str; 2] = ["record/kinds", "query/endpoints"];

/// A module's path, as `["store", "snapshot"]`.
type ModulePath = Vec<String>;

/// The names that are visible in a module: child modules, and imports with the paths they refer to.
/// All other names are defined in the module.
#[derive(Default)]
struct Names {
    children: BTreeSet<String>,
    imports: BTreeMap<String, ModulePath>,
}

struct Module {
    file: PathBuf,
    names: Names,
    uses: BTreeSet<ModulePath>,
}

fn core() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/src")
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let is_cfg = attribute.path().is_ident("cfg");
        let tokens = attribute
            .meta
            .require_list()
            .map(|list| list.tokens.to_string());
        is_cfg && tokens.is_ok_and(|tokens| tokens == "test" || tokens == "doctest")
    })
}

/// Collects the paths that a file uses and the names that it declares.
struct Reader<'a> {
    at: &'a ModulePath,
    names: &'a mut Names,
    uses: &'a mut BTreeSet<ModulePath>,
}

impl Reader<'_> {
    /// Returns the path from the root of the crate, or `None` if the path leads out of the crate.
    fn resolve(&self, path: &[String]) -> Option<ModulePath> {
        let mut at = self.at.clone();
        let mut rest = path;
        match rest.first().map(String::as_str)? {
            "crate" => at.clear(),
            "self" => {}
            "super" => drop(at.pop()?),
            first if self.names.children.contains(first) => {
                return Some([at, path.to_vec()].concat());
            }
            _ => return None,
        }
        rest = &rest[1..];
        while rest.first().is_some_and(|word| word == "super") {
            at.pop()?;
            rest = &rest[1..];
        }
        Some([at, rest.to_vec()].concat())
    }

    fn import(&mut self, tree: &UseTree, before: &[String]) {
        match tree {
            UseTree::Path(path) => {
                let before = [before, &[path.ident.to_string()]].concat();
                self.import(&path.tree, &before);
            }
            UseTree::Name(name) => {
                self.name(&name.ident.to_string(), &name.ident.to_string(), before);
            }
            UseTree::Rename(rename) => {
                self.name(
                    &rename.ident.to_string(),
                    &rename.rename.to_string(),
                    before,
                );
            }
            UseTree::Glob(_) => {
                if let Some(path) = self.resolve(before) {
                    self.uses.insert(path);
                }
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, before);
                }
            }
        }
    }

    fn name(&mut self, name: &str, known_as: &str, before: &[String]) {
        let path = match name {
            "self" => before.to_vec(),
            _ => [before, &[name.to_owned()]].concat(),
        };
        if let Some(path) = self.resolve(&path) {
            let known_as = match known_as {
                "self" => before.last().cloned().unwrap_or_default(),
                _ => known_as.to_owned(),
            };
            self.names.imports.insert(known_as, path.clone());
            self.uses.insert(path);
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = match item {
            Item::Mod(module) => &module.attrs,
            Item::Fn(function) => &function.attrs,
            Item::Use(import) => &import.attrs,
            Item::Impl(block) => &block.attrs,
            _ => return visit::visit_item(self, item),
        };
        if is_test(attributes) {
            return;
        }
        if let Item::Use(import) = item {
            return self.import(&import.tree, &[]);
        }
        visit::visit_item(self, item);
    }

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let words: Vec<String> = path
            .segments
            .iter()
            .map(|one| one.ident.to_string())
            .collect();
        let is_of_crate = matches!(
            words.first().map(String::as_str),
            Some("crate" | "super" | "self")
        );
        let imported = words.first().and_then(|word| self.names.imports.get(word));
        if words.len() > 1 {
            if let Some(imported) = imported {
                let path = [imported.clone(), words[1..].to_vec()].concat();
                self.uses.insert(path);
            } else if is_of_crate || self.names.children.contains(&words[0]) {
                self.uses.extend(self.resolve(&words));
            }
        }
        visit::visit_path(self, path);
    }
}

/// Returns the modules of the crate, without modules of tests.
fn modules() -> BTreeMap<ModulePath, Module> {
    let mut modules = BTreeMap::new();
    let mut open: Vec<(ModulePath, PathBuf)> = vec![(Vec::new(), core().join("lib.rs"))];
    while let Some((at, file)) = open.pop() {
        let source = syn::parse_file(&fs::read_to_string(&file).unwrap()).unwrap();
        let folder = match file.file_name().unwrap().to_str().unwrap() {
            "lib.rs" | "mod.rs" => file.parent().unwrap().to_owned(),
            _ => file.with_extension(""),
        };
        let (mut names, mut uses) = (Names::default(), BTreeSet::new());
        for item in &source.items {
            if let Item::Mod(module) = item
                && module.content.is_none()
                && !is_test(&module.attrs)
            {
                let name = module.ident.to_string();
                names.children.insert(name.clone());
                let [alone, with_children] = [format!("{name}.rs"), format!("{name}/mod.rs")];
                let child = [alone, with_children].map(|name| folder.join(name));
                let child = child.into_iter().find(|child| child.exists()).unwrap();
                open.push(([at.clone(), vec![name]].concat(), child));
            }
        }
        let mut reader = Reader {
            at: &at,
            names: &mut names,
            uses: &mut uses,
        };
        // Imports are read first, so that paths that begin with an imported name can be resolved.
        for item in source
            .items
            .iter()
            .filter(|item| matches!(item, Item::Use(_)))
        {
            reader.visit_item(item);
        }
        reader.visit_file(&source);
        modules.insert(at, Module { file, names, uses });
    }
    modules
}

/// Returns the module that defines what a path names.
fn owner(
    modules: &BTreeMap<ModulePath, Module>,
    path: &[String],
    depth: usize,
) -> Option<ModulePath> {
    let mut at: ModulePath = Vec::new();
    for (index, word) in path.iter().enumerate() {
        let module = modules.get(&at)?;
        if module.names.children.contains(word) {
            at.push(word.clone());
            continue;
        }
        let target = module.names.imports.get(word);
        if let Some(target) = target.filter(|target| depth < 8 && target.as_slice() != path) {
            let path = [target.clone(), path[index + 1..].to_vec()].concat();
            return owner(modules, &path, depth + 1);
        }
        return Some(at);
    }
    Some(at)
}

/// Returns the files that each file depends on. Re-exports alone create no dependency.
fn dependencies() -> BTreeMap<ModulePath, BTreeMap<ModulePath, BTreeSet<String>>> {
    let modules = modules();
    let mut dependencies = BTreeMap::new();
    for (at, module) in &modules {
        let source = syn::parse_file(&fs::read_to_string(&module.file).unwrap()).unwrap();
        let re_exports = re_exports(&source, at, module);
        let used = module
            .uses
            .iter()
            .filter(|path| !re_exports.contains(*path));
        let mut owners = BTreeMap::<ModulePath, BTreeSet<String>>::new();
        for path in used {
            let owner = owner(&modules, path, 0).filter(|owner| owner != at);
            if let Some(owner) = owner {
                owners
                    .entry(owner)
                    .or_default()
                    .insert(path.last().unwrap().clone());
            }
        }
        dependencies.insert(at.clone(), owners);
    }
    dependencies
}

/// Returns the paths that a module only re-exports: they are visible outside, and the module itself
/// does not use them.
fn re_exports(source: &syn::File, at: &ModulePath, module: &Module) -> BTreeSet<ModulePath> {
    let (mut names, mut uses) = (Names::default(), BTreeSet::new());
    names.children.clone_from(&module.names.children);
    let mut re_exported = Reader {
        at,
        names: &mut names,
        uses: &mut uses,
    };
    for item in &source.items {
        if let Item::Use(import) = item
            && !matches!(import.vis, syn::Visibility::Inherited)
        {
            re_exported.import(&import.tree, &[]);
        }
    }
    let known_as: BTreeMap<String, ModulePath> = names.imports;
    let mut named = Named(BTreeSet::new());
    named.visit_file(source);
    let only_re_exported = known_as
        .into_iter()
        .filter(|(name, _)| !named.0.contains(name));
    only_re_exported.map(|(_, path)| path).collect()
}

/// The first words of all paths in a file.
struct Named(BTreeSet<String>);

impl<'ast> Visit<'ast> for Named {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = match item {
            Item::Mod(module) => &module.attrs,
            Item::Fn(function) => &function.attrs,
            _ => return visit::visit_item(self, item),
        };
        if !is_test(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.0
            .extend(path.segments.first().map(|first| first.ident.to_string()));
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        let tokens = called.tokens.to_string();
        let words = tokens.split(|c: char| !c.is_alphanumeric() && c != '_');
        self.0.extend(words.map(str::to_owned));
        visit::visit_macro(self, called);
    }
}

fn shown(path: &[String]) -> String {
    format!("crate::{}", path.join("::"))
}

fn layer(path: &[String]) -> Option<usize> {
    let top = path.first()?;
    let layer = LAYERS
        .iter()
        .position(|layer| layer.contains(&top.as_str()));
    assert!(
        layer.is_some(),
        "{top} is in no layer: add it to LAYERS and to design.md"
    );
    layer
}

#[test]
fn modules_use_only_the_layers_below() {
    let mut upward = Vec::new();
    for (from, used) in dependencies() {
        for to in used.into_keys() {
            let (Some(above), Some(below)) = (layer(&from), layer(&to)) else {
                continue;
            };
            let is_within = from[0] == to[0] || above == LAYERS.len() - 1 && below == above;
            if below <= above && !is_within {
                upward.push(format!("{} -> {}", shown(&from), shown(&to)));
            }
        }
    }
    assert!(upward.is_empty(), "upward: {upward:#?}");
}

#[test]
fn no_files_depend_on_each_other_in_a_circle() {
    let dependencies = dependencies();
    // A file is in a circle if it depends on itself, directly or indirectly.
    let reached: BTreeMap<&ModulePath, BTreeSet<&ModulePath>> = dependencies
        .keys()
        .map(|from| {
            let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
            while let Some(at) = open.pop() {
                open.extend(dependencies[at].keys().filter(|to| reached.insert(*to)));
            }
            (from, reached)
        })
        .collect();
    let count: usize = dependencies.values().map(BTreeMap::len).sum();
    assert!(count > 1_000, "{count} dependencies");
    let mut circles = Vec::new();
    for (from, used) in &dependencies {
        for (to, names) in used {
            if reached[to].contains(from) {
                circles.push(format!("{} -> {}: {names:?}", shown(from), shown(to)));
            }
        }
    }
    assert!(circles.is_empty(), "{circles:#?}");
}

/// Collects the files below a folder, including tests.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn files_and_folders_are_small() {
    let mut found = Vec::new();
    files(&core(), &mut found);
    let (mut problems, mut folders) = (Vec::new(), BTreeMap::new());
    for path in found
        .iter()
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
    {
        let lines = fs::read_to_string(path).unwrap().lines().count();
        let short = path.strip_prefix(core()).unwrap().display().to_string();
        if lines > MAX_LINES {
            problems.push(format!("{short} has {lines} lines"));
        }
        *folders
            .entry(path.parent().unwrap().to_owned())
            .or_insert(0) += 1;
    }
    for (folder, count) in folders {
        let folder = folder.strip_prefix(core()).unwrap().display().to_string();
        if count > MAX_FILES + 1 && !CATALOGUES.contains(&folder.as_str()) {
            problems.push(format!("{folder} has {count} files"));
        }
    }
    assert!(found.len() > 100, "{} files", found.len());
    assert!(problems.is_empty(), "{problems:#?}");
}

#[test]
fn sources_use_ordinary_words() {
    let mut found = Vec::new();
    files(&core(), &mut found);
    let mut avoided = Vec::new();
    for path in found {
        let source = fs::read_to_string(&path).unwrap();
        for (number, line) in (1..).zip(source.lines()) {
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            if words.any(|word| AVOIDED_WORDS.contains(&word.to_lowercase().as_str())) {
                let short = path.strip_prefix(core()).unwrap().display();
                avoided.push(format!("{short}:{number}: {}", line.trim()));
            }
        }
    }
    assert!(
        avoided.len() <= MAX_AVOIDED,
        "more than {MAX_AVOIDED} lines have a word of AVOIDED_WORDS: {avoided:#?}"
    );
}

/// The description of a folder lists its modules as `` `name`: `` or `` `name`, `other`: ``.
#[test]
fn descriptions_of_folders_name_existing_modules() {
    let mut found = Vec::new();
    files(&core(), &mut found);
    let (mut count, mut unknown) = (0, Vec::new());
    for path in found.iter().filter(|path| path.ends_with("mod.rs")) {
        let folder = path.parent().unwrap();
        let source = fs::read_to_string(path).unwrap();
        let description: Vec<&str> = source
            .lines()
            .filter_map(|line| line.strip_prefix("//!"))
            .collect();
        let description = description.join("");
        let parts: Vec<&str> = description.split('`').collect();
        let mut is_listed = false;
        // From the end, so that a name before a comma is listed if the name after it is.
        for pair in parts[1..].chunks_exact(2).rev() {
            let [name, after] = pair else { continue };
            is_listed = after.starts_with(':') || is_listed && matches!(*after, ", " | ",   ");
            if is_listed {
                count += 1;
                let exists =
                    folder.join(name).exists() || folder.join(format!("{name}.rs")).exists();
                if !exists {
                    let short = path.strip_prefix(core()).unwrap().display();
                    unknown.push(format!("{short}: {name}"));
                }
            }
        }
    }
    assert!(count > 80, "{count} names");
    assert!(unknown.is_empty(), "{unknown:#?}");
}
