//! The parts of a C program, put together.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::call::quoted;
use super::program::{PARENT, Program};
use super::story::{Act, Story};
use super::text::identifier;
use super::{prototype, structure, version};

/// How long a program may run before it says that a call does not return.
const SECONDS: u32 = 60;

const PRELUDE: &str = include_str!("prelude.c");
const MAIN: &str = include_str!("parent.c");

/// Functions of the program that only some programs need.
const HELPERS: [(&str, &str); 27] = [
    ("descriptors", include_str!("helpers/descriptors.c")),
    ("buffer", include_str!("helpers/buffer.c")),
    ("pattern", include_str!("helpers/pattern.c")),
    ("other_bytes", include_str!("helpers/other_bytes.c")),
    ("user", include_str!("helpers/user.c")),
    ("threads", include_str!("helpers/threads.c")),
    ("works", include_str!("helpers/works.c")),
    ("count", include_str!("helpers/count.c")),
    ("open_descriptors", include_str!("helpers/open_descriptors.c")),
    ("exhaust", include_str!("helpers/exhaust.c")),
    ("log", include_str!("helpers/log.c")),
    ("waits", include_str!("helpers/waits.c")),
    ("fork", include_str!("helpers/fork.c")),
    ("use_the_driver", include_str!("helpers/use_the_driver.c")),
    ("program", include_str!("helpers/program.c")),
    ("import", include_str!("helpers/import.c")),
    ("free", include_str!("helpers/free.c")),
    ("named", include_str!("helpers/named.c")),
    ("files", include_str!("helpers/files.c")),
    ("usage", include_str!("helpers/usage.c")),
    ("become", include_str!("helpers/become.c")),
    ("namespace", include_str!("helpers/namespace.c")),
    ("distinct", include_str!("helpers/distinct.c")),
    ("between", include_str!("helpers/between.c")),
    ("unread", include_str!("helpers/unread.c")),
    ("holder", include_str!("helpers/holder.c")),
    ("now", include_str!("helpers/now.c")),
];
/// Functions that launch kernels.
const LAUNCHING: [(&str, &str); 3] = [
    ("verify", include_str!("helpers/verify.c")),
    ("contains", include_str!("helpers/contains.c")),
    ("launch_with_event", include_str!("helpers/launch_with_event.c")),
];
/// What a program does if the driver takes another path than in the recorded run. If that run failed,
/// only its own path is known to fail.
const OTHER_PATH: &str = "end(CANNOT_RUN, \"cannot tell: %s: %s returned %s (%d), and %s in the recorded run\", names[self], \
                          call,\n            name_of(code), (int)code, name_of(recorded));";
const OTHER_PATH_THAN_A_FAILURE: &str = "_exit(REFUSED);";
/// Loads the runtime.
const RUNTIME: &str = include_str!("helpers/runtime.c");
const KERNEL: &str = include_str!("helpers/kernel.c");

/// The headers, each with the words that need it: none if every program needs it.
const HEADERS: [(&str, &[&str]); 26] = [
    ("ctype.h", &["isalpha("]),
    ("dirent.h", &["opendir("]),
    ("dlfcn.h", &[]),
    ("errno.h", &[]),
    ("fcntl.h", &[]),
    ("fnmatch.h", &["fnmatch("]),
    ("grp.h", &["setgroups("]),
    ("sched.h", &["unshare("]),
    ("signal.h", &[]),
    ("stdarg.h", &[]),
    ("stdint.h", &[]),
    ("stdio.h", &[]),
    ("stdlib.h", &[]),
    ("string.h", &[]),
    ("sys/eventfd.h", &["eventfd("]),
    ("sys/mman.h", &[]),
    ("sys/mount.h", &["mount("]),
    ("sys/prctl.h", &[]),
    ("sys/resource.h", &["rlim"]),
    ("sys/socket.h", &[]),
    ("sys/stat.h", &["fstatat("]),
    ("sys/syscall.h", &["syscall("]),
    ("sys/wait.h", &[]),
    ("time.h", &[]),
    ("unistd.h", &[]),
    ("pthread.h", &["pthread_"]),
];

/// Assembles a program: its head, what it declares, its helpers and its processes. It knows the memory of the GPU of the
/// recorded run. If the case is flaky, it runs several times.
pub(crate) fn program(story: &Story, mut program: Program, head: &str, memory: u64, is_flaky: bool) -> String {
    let names = identifiers(story);
    let (functions, mut bodies): (Vec<_>, Vec<_>) =
        (0..=names.len()).map(|participant| program.body(participant)).unzip();
    if program.kernels.is_empty() {
        bodies.iter_mut().for_each(|body| *body = body.replace(&format!("    {}\n", super::FORGET), ""));
    }
    let all = functions.concat() + &bodies.concat();
    let uses = |what: &str| all.contains(what);
    if program.hands_descriptors() {
        program.helpers.insert("descriptors");
    }
    let always =
        ["cuInit", "cuMemGetInfo", "cuDeviceGetCount", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent", "cuGetErrorName"];
    program.functions.extend(always.map(str::to_owned));
    if !program.kernels.is_empty() {
        let loading = ["cuCtxGetCurrent", "cuModuleLoadData", "cuModuleGetFunction", "cuLaunchKernel"];
        program.functions.extend(loading.map(str::to_owned));
    }
    if !program.becomes.is_empty() {
        program.helpers.insert("become");
    }
    if story.roles.iter().any(|role| role.place.pid_namespace.is_some()) {
        program.helpers.insert("namespace");
    }
    let version = version::check(&mut program, story);
    for _ in 0..2 {
        // A helper may need another one.
        let used: String =
            HELPERS.iter().filter(|(name, _)| program.helpers.contains(name)).map(|(_, text)| *text).collect();
        let uses = |what: &str| all.contains(what) || used.contains(what);
        let needed = [
            ("works", "works("),
            ("buffer", "buffer("),
            ("named", "is_named_after("),
            ("descriptors", "send_descriptor("),
        ];
        program.helpers.extend(needed.into_iter().filter(|(_, word)| uses(word)).map(|(name, _)| name));
    }
    let mut text = format!(
        "/*\n{}\n */\n",
        head.lines().map(|line| format!(" * {line}").trim_end().to_owned()).collect::<Vec<_>>().join("\n")
    );
    text += "#define _GNU_SOURCE\n";
    let helpers: String = HELPERS
        .iter()
        .filter(|(name, _)| program.helpers.contains(name))
        .map(|(_, text)| format!("\n{text}"))
        .collect();
    let code = format!("{all}{helpers}");
    for header in HEADERS.iter().filter(|(_, words)| words.is_empty() || words.iter().any(|word| code.contains(word))) {
        let _ = writeln!(text, "#include <{}>", header.0);
    }
    text += "\n/* What the program uses of CUDA. */\n";
    text += &declarations(&program, &code);
    let _ = writeln!(text, "static CUcontext primary_context;\n");
    let _ = writeln!(
        text,
        "#ifndef SECONDS\n/* The seconds that the program may take. A call that is running then counts as a hang. */\n#define SECONDS {SECONDS}\n#endif"
    );
    let _ = writeln!(text, "/* The memory of the GPU of the recorded run. */\n#define MEMORY {memory}ULL");
    let highest = story.roles.iter().map(|role| role.place.device.saturating_add(1)).max().unwrap_or_default();
    let gpus = usize::try_from(highest).unwrap_or_default().max(story.gpus);
    let _ = writeln!(text, "enum {{ GPUS = {gpus} }};\n");
    let participants = program.participants.join(", ");
    let quoted_names = ["parent".to_owned()].into_iter().chain(story.roles.iter().map(|role| role.name.clone()));
    let quoted_names: Vec<_> = quoted_names.map(|name| quoted(&name)).collect();
    let processes = format!(
        "enum {{ {participants}, PROCESSES }};\nstatic const char *const names[] = {{ {} }};",
        quoted_names.join(", ")
    );
    let processes = processes + &tables(story, &program);
    let kernels = kernels(&program);
    let launching = LAUNCHING.iter().filter(|(name, _)| program.helpers.contains(name));
    let launching: String = launching.map(|(_, text)| format!("\n{text}")).collect();
    let helpers = format!("{helpers}{kernels}{launching}\n");
    let symbols: String =
        program.functions.iter().filter_map(|name| prototype::of(name)).fold(String::new(), |mut text, it| {
            let library = if it.is_of_the_runtime() { "runtime" } else { "library" };
            let _ = writeln!(text, "    {} = symbol({library}, \"{}\");", it.name, it.exported);
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
        .replace("//HELPERS//\n", &helpers)
        .replace("//RUNTIME//\n", if symbols.contains("symbol(runtime") { RUNTIME } else { "" })
        .replace("//SYMBOLS//\n", &symbols)
        .replace("//VERSION//\n", &version)
        .replace("//OTHER_PATH//", if story.has_failed() { OTHER_PATH_THAN_A_FAILURE } else { OTHER_PATH })
        .replace("//KERNELS//", &preloaded)
        // Last, because the name of a role can be one of these marks.
        .replace("//PROCESSES//", &processes);
    for ((name, functions), body) in names.iter().zip(&functions[1..]).zip(&bodies[1..]) {
        let _ = write!(text, "\n{functions}static void {name}(void) {{\n{body}}}\n");
    }
    // Threads race, and so do streams: a failure that one run had, another one need not have.
    let shows_wrong_data = story.acts.iter().any(|act| matches!(act, Act::Check { holds: false, .. }));
    let waits = ["cuStreamWaitEvent", "cuEventSynchronize"].iter().any(|wait| program.functions.contains(*wait));
    let races = program.helpers.contains("threads") || waits && shows_wrong_data;
    let is_by_chance = story.has_failed() && (is_flaky || races);
    let mut main = MAIN.to_owned();
    if uses("kill_process(") || uses("until_gone(") {
        main = main
            .replace("\nint main(void)", &format!("\n{}\nint main(void)", include_str!("helpers/gone.c").trim_start()));
    }
    if uses("stop_here(") {
        main = main.replace("\nint main(void)", &format!("\n{}\nint main(void)", include_str!("helpers/stop_here.c")));
    }
    text + &main_of(&main, story, &program, &names, is_by_chance).replace("//PARENT//\n", &bodies[PARENT])
}

/// Returns `main`, which starts the processes.
fn main_of(main: &str, story: &Story, program: &Program, names: &[String], is_by_chance: bool) -> String {
    let make = names.iter().enumerate().filter(|(role, _)| !program.is_new(*role + 1) && !story.roles[*role].is_late);
    let make: String = make.map(|(_, name)| format!("    make({}, {name});\n", name.to_uppercase())).collect();
    let mut main = main.to_owned();
    let (mut not_mine, mut started, mut fork, mut seconds, mut killed) = ("one != self", "", "fork()", "0", "");
    if !program.becomes.is_empty() {
        not_mine = "!is_of(self, one)";
        seconds = "mine()";
        let entries = program.becomes.iter().map(|(_, after)| {
            let name = &program.participants[*after];
            format!("[{name}] = {}", name.to_lowercase())
        });
        let table = entries.collect::<Vec<_>>().join(", ");
        let table = format!("\nstatic void (*const programs[PROCESSES])(void) = {{ {table} }};\n");
        main = table + &format!("\n{}", include_str!("helpers/begin_again.c")) + &main;
    }
    if story.roles.iter().any(|role| role.place.pid_namespace.is_some()) {
        fork = "namespace_of[process] ? fork_in(namespace_of[process]) : fork()";
        // The kernel kills the processes of a namespace with its process 1.
        killed = "!(namespace_of[process] && WTERMSIG(status) == SIGKILL) && ";
    }
    if story.roles.iter().any(|role| role.is_late) {
        started = "processes[one] && ";
        main = main.replace("\nint main(void)", &format!("{}\nint main(void)", include_str!("helpers/make_late.c")));
    }
    let mut behaves = "printf(\"the driver behaves as expected\\n\");";
    // A program that replaces itself begins in its `main` again.
    if is_by_chance && program.becomes.is_empty() {
        behaves = "/* main says it, after several runs. */";
        main = main.replace("\nint main(void)", "\nstatic int run_once(void)") + include_str!("helpers/repeat.c");
    }
    main.replace("//MAKE//", &make)
        .replace("//BEHAVES//", behaves)
        .replace("//NOT_MINE//", not_mine)
        .replace("//STARTED//", started)
        .replace("//FORK//", fork)
        .replace("//MY_SECONDS//", seconds)
        .replace("//WITH_ITS_NAMESPACE//", killed)
}

/// Declares which participant each one becomes, and its PID namespace.
fn tables(story: &Story, program: &Program) -> String {
    let mut text = String::new();
    let mut table = |name: &str, remark: &str, entries: Vec<String>| {
        if !entries.is_empty() {
            let _ =
                write!(text, "\n/* {remark} */\nstatic const int {name}[PROCESSES] = {{ {} }};", entries.join(", "));
        }
    };
    let named = |participant: usize| program.participants[participant].as_str();
    let becomes = program.becomes.iter().map(|(before, after)| format!("[{}] = {}", named(*before), named(*after)));
    table("becomes", "The participant that a process becomes when it replaces its program.", becomes.collect());
    let numbers: BTreeSet<u32> = story.roles.iter().filter_map(|role| Some(role.place.pid_namespace?.number)).collect();
    let namespaces = story.roles.iter().enumerate().filter_map(|(role, it)| {
        let number = it.place.pid_namespace?.number;
        let place = numbers.iter().position(|other| *other == number)? + 1;
        Some(format!("[{}] = {place}", named(role + 1)))
    });
    table("namespace_of", "The PID namespace of a process: 0 is that of the parent.", namespaces.collect());
    text
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
        let _ = writeln!(text, "static {}(*{})({parameters});", prototype.returns, prototype.name);
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
        let unused = if kernel == "spin" { "__attribute__((unused)) " } else { "" };
        let is_waiting = matches!(&**kernel, "latch" | "spin");
        let (blocks, threads) = if is_waiting { (1, 1) } else { (conformance::BLOCKS, conformance::THREADS) };
        let _ = write!(
            text,
            "\n{unused}static CUresult launch_{kernel}({parameters}, CUstream stream) {{\n    \
             void *parameters[] = {{ {addresses} }};\n    CUfunction function;\n    \
             CUresult code = load_kernel(\"{kernel}\", {kernel}_ptx, &function);\n    \
             return code ? code : cuLaunchKernel(function, {blocks}, 1, 1, {threads}, 1, 1, 0, stream, parameters, NULL);\n}}\n"
        );
    }
    text
}

/// The words of C, and names that every program has.
const RESERVED: &str = "auto break case char const continue default do double else enum extern float for goto if inline int \
                        long register restrict return short signed sizeof static struct switch typedef union unsigned void \
                        volatile while parent processes self gpus sockets calls names library runtime errno stdout stderr";

/// Whether a name means something in a program already, in small letters or in capitals.
fn is_reserved(name: &str) -> bool {
    let templates = [PRELUDE, MAIN].into_iter().chain(HELPERS.iter().chain(&LAUNCHING).map(|(_, text)| *text));
    let capitals = name.to_uppercase();
    RESERVED.split_whitespace().any(|word| word == name)
        || name.starts_with(|c: char| c.is_ascii_digit())
        || templates.into_iter().any(|text| {
            let is_of_a_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let is_called = |(place, _): (usize, &str)| {
                text[place + name.len()..].starts_with('(') && !text[..place].ends_with(is_of_a_word)
            };
            text.split(|c| !is_of_a_word(c)).any(|word| word == capitals) || text.match_indices(name).any(is_called)
        })
}

/// Returns the names of the roles in C.
pub(crate) fn identifiers(story: &Story) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for role in &story.roles {
        let name = identifier(&role.name);
        let name = if is_reserved(&name) { format!("role_{name}") } else { name };
        let mut unique = name.clone();
        let mut number = 2;
        while names.contains(&unique) {
            unique = format!("{name}_{number}");
            number += 1;
        }
        names.push(unique);
    }
    names
}
