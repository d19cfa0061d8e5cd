//! The C program of a story.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use conformance::trace::Expectation;

use super::call::quoted;
use super::check::{self, Condition};
use super::program::{PARENT, Program};
use super::story::{Act, Expected, Step, Story, Unwritable};
use super::{prototype, step, structure};

/// How long a program may run before it says that a call does not return.
const SECONDS: u32 = 60;
/// The most driver calls of a program that somebody reads.
const MOST_CALLS: usize = 1500;

const PRELUDE: &str = include_str!("prelude.c");
const MAIN: &str = include_str!("parent.c");

/// Functions of the program that only some programs need.
const HELPERS: [(&str, &str); 6] = [
    ("descriptors", include_str!("helpers/descriptors.c")),
    ("buffer", include_str!("helpers/buffer.c")),
    ("pattern", include_str!("helpers/pattern.c")),
    ("other_bytes", include_str!("helpers/other_bytes.c")),
    ("user", include_str!("helpers/user.c")),
    ("verify", include_str!("helpers/verify.c")),
];
const KERNEL: &str = include_str!("helpers/kernel.c");

/// Writes the program of a story. Its first lines are a comment with the given text.
pub(crate) fn write(story: &Story, head: &str) -> Result<String, Unwritable> {
    let program = tell(story)?;
    Ok(assemble(story, program, head))
}

fn tell(story: &Story) -> Result<Program, Unwritable> {
    match &*story.verdict {
        "leak" => return Err(Unwritable::new("a leak shows after the steps, when everything is given back")),
        "error" => return Err(Unwritable::new("the harness failed")),
        "unsupported" => return Err(Unwritable::new("this machine cannot run the case")),
        _ => {}
    }
    let mut program = Program::new(identifiers(story).iter().map(|name| name.to_uppercase()));
    let mut last = PARENT;
    let mut last_answer = "";
    let mut has_failed = false;
    let mut calls = 0;
    for act in &story.acts {
        has_failed = false;
        match act {
            Act::Start(role) => start(&mut program, story, *role),
            Act::Step(step) => {
                calls += step.calls.len();
                step::write(&mut program, step)?;
                (last, last_answer) = (step.role + 1, &step.answer);
                has_failed = fails(step);
            }
            Act::Join(role) => program.turn(role + 1),
            Act::Check { text, comparison, holds } => {
                let condition = match comparison {
                    Some(compared) => check::comparison(&mut program, last, compared, *holds)?,
                    None => check::of_answer(&program, last_answer, *holds),
                };
                match condition {
                    Some(condition) => checked(&mut program, &condition, text),
                    None if *holds => {}
                    None => return Err(Unwritable::new(format!("the program cannot check `{text}`"))),
                }
                has_failed = !holds;
            }
            Act::Disclosure(text) => {
                let number = program.values.last_number();
                let number = number.ok_or_else(|| Unwritable::new("no number shows the disclosure"))?;
                let value = program.values.get(number);
                let operator = if value.number == 0 { "!=" } else { "==" };
                let condition = Condition { participant: value.owner, text: format!("{} {operator} 0", value.name) };
                checked(&mut program, &condition, text);
            }
            Act::Signal(role, signal) => {
                program.turn(PARENT);
                let name = program.participants[role + 1].clone();
                program.line(
                    PARENT,
                    match signal {
                        9 => format!("kill_process({name});"),
                        19 => format!("kill(processes[{name}], SIGSTOP);"),
                        18 => format!("kill(processes[{name}], SIGCONT);"),
                        _ => return Err(Unwritable::new(format!("the runner sends signal {signal}"))),
                    },
                );
            }
            Act::Exit { role, with_handlers } => {
                program.turn(role + 1);
                program.turn(PARENT);
                program.line(role + 1, if *with_handlers { "exit(BEHAVES);" } else { "_exit(BEHAVES);" });
                let name = program.participants[role + 1].clone();
                program.line(PARENT, format!("until_gone({name});"));
            }
        }
        if calls > MOST_CALLS {
            return Err(Unwritable::new(format!("the case makes more than {MOST_CALLS} driver calls")));
        }
    }
    program.turn(PARENT);
    if matches!(&*story.verdict, "fail" | "crash" | "timeout") && !has_failed {
        return Err(Unwritable::new("the case does not fail in a step or a comparison"));
    }
    Ok(program)
}

fn checked(program: &mut Program, condition: &Condition, text: &str) {
    program.turn(condition.participant);
    let text = text.replace(" ?", "?").replace(" . ", ".");
    program.line(condition.participant, format!("holds({}, {});", condition.text, quoted(&text)));
    program.checks += 1;
}

/// Whether a step did not end as the case expected.
fn fails(step: &Step) -> bool {
    let code = step.calls.last().and_then(|called| called.returned.as_ref()).map(|returned| returned.code);
    match (&step.expectation, code) {
        (_, None) => !step.calls.is_empty(),
        (Expected::Success, Some(code)) => code != 0,
        (Expected::Other(Expectation::Refused(codes)), Some(code)) => {
            code == 0 || !codes.is_empty() && !codes.contains(&code)
        }
        (Expected::Other(Expectation::Among(codes)), Some(code)) => code != 0 && !codes.contains(&code),
        (Expected::Other(_), Some(_)) => false,
    }
}

fn start(program: &mut Program, story: &Story, role: usize) {
    let place = &story.roles[role].place;
    program.turn(role + 1);
    for (name, value) in &place.environment {
        let remark = if name.starts_with("REFERENCE_DRIVER") { " /* a real machine must be so already */" } else { "" };
        program.line(role + 1, format!("setenv({}, {}, 1);{remark}", quoted(name), quoted(value)));
    }
    if let Some(user) = place.user {
        program.helpers.insert("user");
        program.line(role + 1, format!("become_user({user});"));
    }
    let start = if place.uninitialised { "load();".to_owned() } else { format!("start({});", place.device) };
    program.line(role + 1, start);
}

/// Returns the names of the roles in C.
fn identifiers(story: &Story) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for role in &story.roles {
        let name: String = role.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let name = name.to_lowercase();
        let mut unique = name.clone();
        let mut number = 2;
        while names.contains(&unique) || matches!(&*unique, "parent" | "processes") {
            unique = format!("{name}_{number}");
            number += 1;
        }
        names.push(unique);
    }
    names
}

fn assemble(story: &Story, mut program: Program, head: &str) -> String {
    let names = identifiers(story);
    let mut bodies: Vec<_> = (0..=names.len()).map(|participant| program.body(participant)).collect();
    if program.kernels.is_empty() {
        bodies.iter_mut().for_each(|body| *body = body.replace(&format!("    {}\n", super::FORGET), ""));
    }
    let all = bodies.concat();
    let uses = |what: &str| all.contains(what);
    if program.hands_descriptors() {
        program.helpers.insert("descriptors");
    }
    if uses("buffer(") {
        program.helpers.insert("buffer");
    }
    let always = ["cuInit", "cuDeviceGetCount", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent", "cuGetErrorName"];
    program.functions.extend(always.map(str::to_owned));
    if !program.kernels.is_empty() {
        let loading = ["cuCtxGetCurrent", "cuModuleLoadData", "cuModuleGetFunction", "cuLaunchKernel"];
        program.functions.extend(loading.map(str::to_owned));
    }
    let mut text = format!(
        "/*\n{}\n */\n",
        head.lines().map(|line| format!(" * {line}").trim_end().to_owned()).collect::<Vec<_>>().join("\n")
    );
    text += "#define _GNU_SOURCE\n";
    let headers = [
        "dlfcn.h",
        "errno.h",
        "fcntl.h",
        "grp.h",
        "signal.h",
        "stdarg.h",
        "stdint.h",
        "stdio.h",
        "stdlib.h",
        "string.h",
        "sys/mman.h",
        "sys/prctl.h",
        "sys/socket.h",
        "sys/wait.h",
        "unistd.h",
    ];
    for header in headers.iter().filter(|header| **header != "grp.h" || program.helpers.contains("user")) {
        let _ = writeln!(text, "#include <{header}>");
    }
    text += "\n/* What the program uses of CUDA. */\n";
    text += &declarations(&program, &all);
    let _ = writeln!(text, "static CUcontext primary_context;\n");
    let _ = writeln!(text, "enum {{ GPUS = {}, SECONDS = {SECONDS} }};\n", story.gpus);
    let participants = program.participants.join(", ");
    let quoted_names = ["parent".to_owned()].into_iter().chain(story.roles.iter().map(|role| role.name.clone()));
    let quoted_names: Vec<_> = quoted_names.map(|name| quoted(&name)).collect();
    let processes = format!(
        "enum {{ {participants}, PROCESSES }};\nstatic const char *const names[] = {{ {} }};",
        quoted_names.join(", ")
    );
    let helpers: String = HELPERS
        .iter()
        .filter(|(name, _)| program.helpers.contains(name))
        .map(|(_, text)| format!("\n{text}"))
        .collect();
    let kernels = kernels(&program);
    // `verify` launches a kernel, so the kernels come before it.
    let (first, verify) =
        helpers.split_at(helpers.find("\n/* Counts the words that a kernel").unwrap_or(helpers.len()));
    let helpers = format!("{first}{kernels}{verify}\n");
    let symbols: String =
        program.functions.iter().filter_map(|name| prototype::of(name)).fold(String::new(), |mut text, it| {
            let _ = writeln!(text, "    {} = symbol(library, \"{}\");", it.name, it.exported);
            text
        });
    let preloaded: String = ["fill", "verify"].iter().filter(|kernel| program.kernels.contains(**kernel)).fold(
        String::new(),
        |mut text, kernel| {
            let _ = writeln!(
                text,
                "    CUfunction {kernel};\n    succeeds(load_kernel(\"{kernel}\", {kernel}_ptx, &{kernel}));"
            );
            text
        },
    );
    text += &PRELUDE
        .replace("//PROCESSES//", &processes)
        .replace("//HELPERS//\n", &helpers)
        .replace("//SYMBOLS//\n", &symbols)
        .replace("//KERNELS//", &preloaded);
    for (name, body) in names.iter().zip(&bodies[1..]) {
        let _ = write!(text, "\nstatic void {name}(void) {{\n{body}}}\n");
    }
    let mut main = MAIN.to_owned();
    if uses("kill_process(") || uses("until_gone(") {
        main = main
            .replace("\nint main(void)", &format!("\n{}\nint main(void)", include_str!("helpers/gone.c").trim_start()));
    }
    let make: String = names.iter().fold(String::new(), |mut text, name| {
        let _ = writeln!(text, "    make({}, {name});", name.to_uppercase());
        text
    });
    text + &main.replace("//MAKE//", &make).replace("//PARENT//\n", &bodies[PARENT])
}

/// Declares the types and the functions that the program uses.
fn declarations(program: &Program, bodies: &str) -> String {
    let prototypes: Vec<_> = program.functions.iter().filter_map(|name| prototype::of(name)).collect();
    let mut kinds: Vec<String> = vec!["CUresult".to_owned(), "CUcontext".to_owned(), "CUdevice".to_owned()];
    let words = |text: &str| {
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').map(str::to_owned).collect::<Vec<_>>()
    };
    for parameter in prototypes.iter().flat_map(|prototype| &prototype.parameters) {
        kinds.extend(words(parameter.kind));
    }
    kinds.extend(words(bodies).into_iter().filter(|word| word.starts_with("CU")));
    if !program.kernels.is_empty() {
        kinds.extend(["CUfunction", "CUmodule", "CUdeviceptr", "CUstream"].map(str::to_owned));
    }
    let mut text = String::new();
    let mut declared: BTreeSet<String> = BTreeSet::new();
    for kind in kinds {
        let parts = structure::parts(&kind).iter().map(|part| (*part).to_owned());
        for kind in parts.chain([kind.clone()]) {
            if let Some(declaration) = structure::declaration(&kind).filter(|_| declared.insert(kind.clone())) {
                text += &declaration;
                text.push('\n');
            }
        }
    }
    for prototype in prototypes {
        let parameters: Vec<_> = prototype
            .parameters
            .iter()
            .map(|parameter| {
                let gap = if parameter.kind.ends_with('*') { "" } else { " " };
                format!("{}{gap}{}", parameter.kind, parameter.name)
            })
            .collect();
        let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
        let _ = writeln!(text, "static CUresult (*{})({parameters});", prototype.name);
    }
    text
}

/// Returns the kernels that the program launches.
fn kernels(program: &Program) -> String {
    if program.kernels.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    for kernel in kernels::ALL.iter().filter(|kernel| program.kernels.contains(&*kernel.entry.to_string_lossy())) {
        let (name, ptx) = (kernel.entry.to_string_lossy(), kernel.ptx.to_string_lossy());
        let _ = write!(text, "\nstatic const char {name}_ptx[] =\n    {};\n", quoted(&ptx));
    }
    let _ = write!(text, "\n{KERNEL}");
    for kernel in &program.kernels {
        let (parameters, addresses) = match &**kernel {
            "fill" | "scale" => ("CUdeviceptr words, unsigned long long count, unsigned seed", "&words, &count, &seed"),
            "verify" => (
                "CUdeviceptr words, unsigned long long count, unsigned seed, CUdeviceptr wrong",
                "&words, &count, &seed, &wrong",
            ),
            "latch" => ("CUdeviceptr flag, unsigned value", "&flag, &value"),
            "spin" => ("unsigned long long nanoseconds", "&nanoseconds"),
            _ => ("CUdeviceptr counter, unsigned value, unsigned long long rounds", "&counter, &value, &rounds"),
        };
        let is_waiting = matches!(&**kernel, "latch" | "spin");
        let (blocks, threads) = if is_waiting { (1, 1) } else { (conformance::BLOCKS, conformance::THREADS) };
        let _ = write!(
            text,
            "\nstatic CUresult launch_{kernel}({parameters}, CUstream stream) {{\n    \
             void *parameters[] = {{ {addresses} }};\n    CUfunction function;\n    \
             CUresult code = load_kernel(\"{kernel}\", {kernel}_ptx, &function);\n    \
             return code ? code : cuLaunchKernel(function, {blocks}, 1, 1, {threads}, 1, 1, 0, stream, parameters, NULL);\n}}\n"
        );
    }
    text
}
