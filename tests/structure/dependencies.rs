//! The modules of `core/src`, and which of them each one uses.

use crate::core;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree};

/// A module's path, as `["store", "snapshot"]`.
pub(crate) type ModulePath = Vec<String>;

/// The names that are visible in a module: child modules, and imports with the paths they refer to.
/// All other names are defined in the module.
#[derive(Default)]
struct Names {
    children: BTreeSet<String>,
    imports: BTreeMap<String, ModulePath>,
}

/// For each module, the modules that it uses, with the names that it uses of each.
pub(crate) type Dependencies = BTreeMap<ModulePath, BTreeMap<ModulePath, BTreeSet<String>>>;

struct Module {
    file: PathBuf,
    names: Names,
    uses: BTreeSet<ModulePath>,
    methods: Methods,
}

/// A method: its type and its name.
type Method = (String, String);

/// The methods of a file.
#[derive(Default)]
struct Methods {
    /// The types that are declared in the file.
    types: BTreeSet<String>,
    /// The type of the `impl` block that is being read.
    at: String,
    /// All methods that the file defines, with an empty type for those of traits.
    defined: BTreeSet<Method>,
    /// The methods that the file adds to types of other files.
    added: BTreeSet<Method>,
    /// The methods that the file calls, with an empty type unless the receiver is `self`.
    called: BTreeSet<Method>,
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
    /// The module that is read: the file, or a module inside it.
    at: ModulePath,
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
        if let Item::Mod(module) = item {
            self.at.push(module.ident.to_string());
            visit::visit_item(self, item);
            self.at.pop();
        } else {
            visit::visit_item(self, item);
        }
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

impl<'ast> Visit<'ast> for Methods {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = match item {
            Item::Mod(module) => &module.attrs,
            Item::Fn(function) => &function.attrs,
            Item::Impl(block) => &block.attrs,
            _ => return visit::visit_item(self, item),
        };
        if !is_test(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_impl(&mut self, block: &'ast syn::ItemImpl) {
        self.at = match &*block.self_ty {
            syn::Type::Path(path) => path.path.segments.last().unwrap().ident.to_string(),
            _ => String::new(),
        };
        let is_of_other_file = block.trait_.is_none() && !self.types.contains(&self.at);
        for item in &block.items {
            if let syn::ImplItem::Fn(method) = item
                && !is_test(&method.attrs)
            {
                let method = (self.at.clone(), method.sig.ident.to_string());
                if is_of_other_file {
                    self.added.insert(method.clone());
                }
                self.defined.insert(method);
            }
        }
        visit::visit_item_impl(self, block);
    }

    fn visit_trait_item_fn(&mut self, method: &'ast syn::TraitItemFn) {
        self.defined
            .insert((String::new(), method.sig.ident.to_string()));
        visit::visit_trait_item_fn(self, method);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let is_self =
            matches!(&*call.receiver, syn::Expr::Path(path) if path.path.is_ident("self"));
        let of = if is_self {
            self.at.clone()
        } else {
            String::new()
        };
        self.called.insert((of, call.method.to_string()));
        visit::visit_expr_method_call(self, call);
    }
}

fn methods(source: &syn::File) -> Methods {
    let types = source.items.iter().filter_map(|item| match item {
        Item::Struct(item) => Some(item.ident.to_string()),
        Item::Enum(item) => Some(item.ident.to_string()),
        _ => None,
    });
    let mut methods = Methods {
        types: types.collect(),
        ..Methods::default()
    };
    methods.visit_file(source);
    methods
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
            at: at.clone(),
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
        let methods = methods(&source);
        modules.insert(
            at,
            Module {
                file,
                names,
                uses,
                methods,
            },
        );
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

/// Returns the methods that files add to types of other files, with these files.
fn added_methods(modules: &BTreeMap<ModulePath, Module>) -> BTreeMap<&Method, &ModulePath> {
    let of = |(at, module)| {
        let module: &Module = module;
        module.methods.added.iter().map(move |method| (method, at))
    };
    modules.iter().flat_map(of).collect()
}

/// Returns the names of methods that only one type has, so that they identify the method whatever
/// the receiver is.
fn unique_names(modules: &BTreeMap<ModulePath, Module>) -> BTreeSet<String> {
    let mut counts = BTreeMap::new();
    for (_, name) in modules.values().flat_map(|module| &module.methods.defined) {
        *counts.entry(name.clone()).or_insert(0) += 1;
    }
    counts.retain(|_, count| *count == 1);
    counts.into_keys().collect()
}

/// Returns the files that each file depends on. Re-exports alone create no dependency.
pub(crate) fn dependencies() -> Dependencies {
    let modules = modules();
    let (added, unique) = (added_methods(&modules), unique_names(&modules));
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
        for ((of, name), definer) in &added {
            let calls = |of: &str| {
                let method = (of.to_owned(), name.clone());
                module.methods.called.contains(&method)
            };
            if *definer != at && (calls(of) || unique.contains(name) && calls("")) {
                let names = owners.entry((*definer).clone()).or_default();
                names.insert(format!(".{name}()"));
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
        at: at.clone(),
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
