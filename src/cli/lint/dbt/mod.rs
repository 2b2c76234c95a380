//! The dbt projects around the files of a run: what `dbt_project.yml`, `profiles.yml` and the properties files say of each
//! model. dbt itself and its Jinja are not run: a value with Jinja in it is one that only dbt knows.

mod document;

use super::walk::problem;
use crate::diagnostic::Diagnostic;
use crate::lint::dbt::{Inherited, Project, Settings};
use ignore::WalkBuilder;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file that makes a folder a project.
const PROJECT: &str = "dbt_project.yml";

/// The projects of a run, by their folders.
#[derive(Debug, Default)]
pub(super) struct Projects {
    /// The project of each folder with files of the run, if it is in one.
    folders: HashMap<PathBuf, Option<PathBuf>>,
    all: HashMap<PathBuf, Files>,
    /// What could not be read.
    pub problems: Vec<Diagnostic>,
}

/// One project, as its files are written.
#[derive(Debug, Default)]
struct Files {
    name: String,
    adapter: Option<String>,
    /// The folders with models.
    paths: Vec<PathBuf>,
    /// The YAML files that give dbt something to run.
    documents: Vec<PathBuf>,
    /// `models:` of the project file.
    models: Map<String, Value>,
    /// What the properties files say, by the name of the model.
    properties: HashMap<String, Properties>,
    /// The folders with snapshots, `snapshots:` of the project file, and what the properties files say by name.
    snapshot_paths: Vec<PathBuf>,
    snapshots: Map<String, Value>,
    snapshot_properties: HashMap<String, Settings>,
}

/// What a properties file says of a model.
#[derive(Debug, Default)]
struct Properties {
    settings: Settings,
    unique: Vec<Vec<String>>,
}

impl Projects {
    /// Reads the projects around some files.
    pub fn read<'f>(&mut self, files: impl Iterator<Item = &'f Path>) {
        for file in files {
            self.project_of(file);
        }
    }

    /// The project around a file, read when it is first asked for.
    fn project_of(&mut self, file: &Path) -> Option<&Files> {
        let root = self.root_of(file.parent().unwrap_or(Path::new("")))?;
        if !self.all.contains_key(&root) {
            let read = Files::read(&root, &mut self.problems);
            self.all.insert(root.clone(), read);
        }
        self.all.get(&root)
    }

    /// True for a YAML file that gives dbt something to run.
    pub fn holds(&mut self, file: &Path) -> bool {
        is_yaml(file) && self.project_of(file).is_some_and(|files| files.is_document(file))
    }

    /// The files of the projects themselves that give dbt something to run.
    pub fn roots(&self) -> impl Iterator<Item = PathBuf> {
        let roots = self.all.keys().map(|root| root.join(PROJECT));
        roots.filter(|file| self.all.values().any(|files| files.is_document(file)))
    }

    /// The folder of the project that a folder is in. Each folder is looked into once.
    fn root_of(&mut self, folder: &Path) -> Option<PathBuf> {
        if let Some(known) = self.folders.get(folder) {
            return known.clone();
        }
        let root = if folder.join(PROJECT).is_file() {
            Some(folder.to_owned())
        } else if let Some(parent) = folder.parent() {
            self.root_of(parent)
        } else if folder.as_os_str().is_empty() {
            // Above the current folder, where the spelling of the command line does not reach.
            std::path::absolute(".").ok().and_then(|here| self.root_of(here.parent()?))
        } else {
            None
        };
        self.folders.insert(folder.to_owned(), root.clone());
        root
    }

    /// What the project says of a file with this text, when it is one of its models or gives dbt something to run.
    pub fn of(&self, file: &Path, text: &str) -> Option<Arc<Project>> {
        let root = self.folders.get(file.parent().unwrap_or(Path::new("")))?.as_ref()?;
        let files = self.all.get(root)?;
        let project = if files.is_document(file) {
            let (settings, named) = files.snapshot_settings(file);
            let said = |name: &str| settings.iter().chain(named.get(name).into_iter().flatten());
            let said = |name: &str| said(name).map(|(name, one)| (name.clone(), one.clone())).collect();
            let document = Some(document::read(text, file, &said));
            Project { adapter: files.adapter.clone(), document, ..Project::default() }
        } else {
            files.model(file).or_else(|| files.snapshot(file))?
        };
        Some(Arc::new(project))
    }
}

impl Files {
    fn read(root: &Path, problems: &mut Vec<Diagnostic>) -> Self {
        let project = yaml(&root.join(PROJECT), problems);
        let profile = text(&project, "profile");
        let profiles = root.join("profiles.yml");
        let profiles = if profiles.is_file() { yaml(&profiles, problems) } else { Value::Null };
        let folders = |key: &str, usual: &str| {
            let all = project.get(key).and_then(Value::as_array).into_iter().flatten();
            let all: Vec<PathBuf> = all.filter_map(Value::as_str).map(|path| root.join(path)).collect();
            if all.is_empty() { vec![root.join(usual)] } else { all }
        };
        let tree = |key: &str| project.get(key).and_then(Value::as_object).cloned().unwrap_or_default();
        let mut read = Self {
            name: text(&project, "name").unwrap_or_default().to_owned(),
            adapter: profile.and_then(|profile| adapter(&profiles, profile)),
            models: tree("models"),
            snapshots: tree("snapshots"),
            snapshot_properties: HashMap::new(),
            // https://docs.getdbt.com/reference/project-configs/snapshot-paths
            snapshot_paths: folders("snapshot-paths", "snapshots"),
            properties: HashMap::new(),
            documents: Vec::new(),
            // https://docs.getdbt.com/reference/project-configs/model-paths
            paths: folders("model-paths", "models"),
        };
        let seeds = folders("seed-paths", "seeds");
        read.note(&project, root.join(PROJECT), problems);
        for path in read.paths.iter().chain(&read.snapshot_paths).chain(&seeds).cloned().collect::<BTreeSet<_>>() {
            let files = WalkBuilder::new(path).standard_filters(false).build().flatten();
            let mut files: Vec<PathBuf> = files.map(ignore::DirEntry::into_path).filter(|path| is_yaml(path)).collect();
            files.sort();
            for file in files {
                let document = yaml(&file, problems);
                read.learn(&document, &file);
                read.note(&document, file, problems);
            }
        }
        read
    }

    /// Remembers a YAML file that gives dbt something to run.
    fn note(&mut self, document: &Value, file: PathBuf, problems: &mut Vec<Diagnostic>) {
        if !runs_something(document) {
            return;
        }
        // Places ask for more than values do.
        if fs::read_to_string(&file).is_ok_and(|text| document::is_read(&text)) {
            self.documents.push(file);
        } else {
            problems.push(problem(&format!("what {} gives dbt to run was not checked", file.display())));
        }
    }

    fn is_document(&self, file: &Path) -> bool {
        let whole = |path: &Path| std::path::absolute(path).ok();
        self.documents
            .iter()
            .any(|one| one == file || (one.file_name() == file.file_name() && whole(one) == whole(file)))
    }

    /// Takes over what a properties file says.
    fn learn(&mut self, document: &Value, file: &Path) {
        for snapshot in document.get("snapshots").and_then(Value::as_array).into_iter().flatten() {
            let Some(name) = text(snapshot, "name") else { continue };
            let config = snapshot.get("config").and_then(Value::as_object).into_iter().flatten();
            let settings = config.map(|(key, value)| (spelled(key), inherited(value, file)));
            self.snapshot_properties.entry(name.to_owned()).or_default().extend(settings);
        }
        for model in document.get("models").and_then(Value::as_array).into_iter().flatten() {
            let Some(name) = text(model, "name") else { continue };
            let known = self.properties.entry(name.to_owned()).or_default();
            for (key, value) in model.get("config").and_then(Value::as_object).into_iter().flatten() {
                known.settings.insert(spelled(key), inherited(value, file));
            }
            for column in model.get("columns").and_then(Value::as_array).into_iter().flatten() {
                if let Some(name) = text(column, "name")
                    && tests(column).any(|(test, _)| test == "unique")
                {
                    known.unique.push(vec![name.to_owned()]);
                }
            }
            for (_, about) in tests(model).filter(|(test, _)| test.ends_with("unique_combination_of_columns")) {
                let columns = about.get("combination_of_columns").and_then(Value::as_array).into_iter().flatten();
                let columns: Vec<String> = columns.filter_map(Value::as_str).map(str::to_owned).collect();
                known.unique.extend((!columns.is_empty()).then_some(columns));
            }
        }
    }

    /// What is said of a model; `None` for a file that is none.
    fn model(&self, file: &Path) -> Option<Project> {
        let inside = inside(&self.paths, file)?;
        let model = file.file_stem()?.to_string_lossy().into_owned();
        let mut settings = Settings::new();
        let folder = self.folder(&self.models, &inside, &mut settings);
        if let Some(node) = folder.and_then(|node| node.get(&model)).and_then(Value::as_object) {
            take(node, &mut settings);
        }
        let mut unique = Vec::new();
        if let Some(properties) = self.properties.get(&model) {
            settings.extend(properties.settings.clone());
            unique.clone_from(&properties.unique);
        }
        Some(Project { adapter: self.adapter.clone(), settings, model, unique, ..Project::default() })
    }

    /// What is said of the snapshots of a file; `None` for a file in another folder.
    fn snapshot(&self, file: &Path) -> Option<Project> {
        inside(&self.snapshot_paths, file)?;
        let (settings, snapshots) = self.snapshot_settings(file);
        let model = file.file_stem()?.to_string_lossy().into_owned();
        Some(Project { adapter: self.adapter.clone(), settings, model, snapshots, ..Project::default() })
    }

    /// What is said of all snapshots in the folder of a file, and of each by its name.
    fn snapshot_settings(&self, file: &Path) -> (Settings, BTreeMap<String, Settings>) {
        let (mut settings, mut named) = (Settings::new(), BTreeMap::<String, Settings>::new());
        let inside = inside(&self.snapshot_paths, file).or_else(|| inside(&self.paths, file)).unwrap_or_default();
        let folder = self.folder(&self.snapshots, &inside, &mut settings);
        for (name, node) in folder.into_iter().flatten() {
            if let (Some(node), false) = (node.as_object(), name.starts_with('+')) {
                take(node, named.entry(name.clone()).or_default());
            }
        }
        for (name, said) in &self.snapshot_properties {
            named.entry(name.clone()).or_default().extend(said.clone());
        }
        (settings, named)
    }

    /// Takes the settings of a tree of the project file down to the folder of a file, and gives its node.
    fn folder<'t>(
        &self,
        tree: &'t Map<String, Value>,
        inside: &Path,
        settings: &mut Settings,
    ) -> Option<&'t Map<String, Value>> {
        take(tree, settings);
        let mut node = tree.get(&self.name)?.as_object()?;
        take(node, settings);
        for folder in inside.parent().into_iter().flat_map(Path::components) {
            node = node.get(folder.as_os_str().to_string_lossy().as_ref())?.as_object()?;
            take(node, settings);
        }
        Some(node)
    }
}

/// The path of a file below one of some folders.
fn inside(folders: &[PathBuf], file: &Path) -> Option<PathBuf> {
    let whole = |path: &Path| std::path::absolute(path).ok();
    folders.iter().find_map(|folder| {
        let inside = file.strip_prefix(folder).map(Path::to_owned).ok();
        inside.or_else(|| whole(file)?.strip_prefix(whole(folder)?).map(Path::to_owned).ok())
    })
}

/// Takes the settings of a level of the project file: those with a plus, and those that cannot be folders.
fn take(node: &Map<String, Value>, settings: &mut BTreeMap<String, Inherited>) {
    for (key, value) in node {
        let name = key.strip_prefix('+');
        if name.is_some() || !value.is_object() {
            settings.insert(spelled(name.unwrap_or(key)), inherited(value, Path::new(PROJECT)));
        }
    }
}

/// A setting's name as models write it: `pre-hook` is `pre_hook`.
fn spelled(key: &str) -> String {
    key.replace('-', "_")
}

fn inherited(value: &Value, file: &Path) -> Inherited {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Inherited { value: (!has_jinja(value)).then(|| value.clone()), file: name }
}

/// True when dbt makes the value; the text of a hook stays, since hooks are read as templates.
fn has_jinja(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains("{{") && !text.contains(' ') || text.trim_start().starts_with("{{"),
        Value::Array(all) => all.iter().any(has_jinja),
        _ => false,
    }
}

/// The tests of a model or a column, by name, with what is said of each.
fn tests(of: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let lists = ["tests", "data_tests"].into_iter().filter_map(|key| of.get(key)?.as_array());
    lists.flatten().filter_map(|test| match test {
        Value::String(name) => Some((name.as_str(), &Value::Null)),
        Value::Object(one) => {
            let (name, about) = one.iter().next()?;
            // Arguments stand beside the test's name, or under `arguments`.
            Some((name.as_str(), about.get("arguments").unwrap_or(about)))
        }
        _ => None,
    })
}

/// The adapter of a profile: that of its target, or that of all its outputs.
fn adapter(profiles: &Value, profile: &str) -> Option<String> {
    let profile = profiles.get(profile)?;
    let outputs = profile.get("outputs")?.as_object()?;
    let of = |output: &Value| text(output, "type").map(str::to_owned);
    if let Some(target) = text(profile, "target").and_then(|target| outputs.get(target)) {
        return of(target);
    }
    let mut all = outputs.values().filter_map(of);
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

/// True for a document with a hook, a command around a run, or a snapshot of a relation.
fn runs_something(document: &Value) -> bool {
    let snapshots = document.get("snapshots").and_then(Value::as_array);
    snapshots.into_iter().flatten().any(|one| one.get("relation").is_some()) || has_hook(document)
}

fn has_hook(document: &Value) -> bool {
    match document {
        Value::Array(all) => all.iter().any(has_hook),
        Value::Object(all) => all.iter().any(|(key, value)| {
            let key = key.trim_start_matches('+').replace('_', "-");
            ["pre-hook", "post-hook", "on-run-start", "on-run-end"].contains(&key.as_str()) || has_hook(value)
        }),
        _ => false,
    }
}

fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "yml" || ending == "yaml")
}

/// A file as a document; what cannot be read is a problem and says nothing of any model.
fn yaml(path: &Path, problems: &mut Vec<Diagnostic>) -> Value {
    let read = fs::read_to_string(path).map_err(|fault| fault.to_string());
    let parsed = read.and_then(|text| {
        if text.trim().is_empty() {
            return Ok(Value::Null);
        }
        // People name a part once and use it in each of a hundred columns: it is not the ratio that makes a bomb.
        let options = serde_yaml::options! { budget: serde_yaml::budget! { enforce_alias_anchor_ratio: false } };
        serde_yaml::from_str_with_options(&text, options)
            .map_err(|fault| fault.to_string().lines().next().unwrap_or_default().to_owned())
    });
    parsed.unwrap_or_else(|fault| {
        let fault = problem(&format!("{} cannot be read, and says nothing of its models: {fault}", path.display()));
        problems.push(fault.help("mend the file: dbt cannot read it either"));
        Value::Null
    })
}
