//! Steps with file descriptors, in C.

use super::call::descriptor as known;
use super::program::{Program, Sent};
use super::story::{self, Step, Unwritable};
use super::text::{Token, answered, tokens};
use super::usage;
use super::values::{Kind, Value};

/// Writes a step of a participant. Returns false if it is none of these.
pub(crate) fn write(program: &mut Program, me: usize, step: &Step) -> Result<bool, Unwritable> {
    let name = step.name();
    let missing = || Unwritable::new(format!("a field of {name} is missing"));
    let number = |field: &str| step.number(field).ok_or_else(missing);
    let own = |program: &mut Program| {
        let number = i32::try_from(number("descriptor")?).map_err(|_| missing())?;
        Ok::<_, Unwritable>(known(program, me, number))
    };
    let received = || step.descriptor.as_ref().ok_or_else(missing);
    match name {
        "send_descriptor_to_the_runner" => {
            let known = own(program)?;
            let (sent, value) = program.variable(me, Kind::Descriptor, "int", "sent", u64::MAX);
            program.line(me, format!("{sent} = dup({known});"));
            let story::Descriptor { target, write_only, .. } = received()?;
            program.sent.push(Sent { target: target.clone(), write_only: *write_only, value, is_closed: false });
        }
        "keep_descriptor" => {
            let sent = get(program, me, received()?)?;
            let number = answered(&step.answer).ok_or_else(missing)?;
            let (kept, _) = program.variable(me, Kind::Descriptor, "int", "descriptor", number);
            program.line(me, format!("{kept} = dup({sent});"));
        }
        "close_descriptor" => {
            let known = own(program)?;
            program.line(me, format!("close({known});"));
            released(program, me, &known);
        }
        "duplicate_descriptor" => {
            let known = own(program)?;
            let copied = answered(&step.answer).ok_or_else(missing)?;
            let (copy, _) = program.variable(me, Kind::Descriptor, "int", "descriptor", copied);
            program.line(me, format!("{copy} = fcntl({known}, F_DUPFD_CLOEXEC, {});", number("least")?));
        }
        "descriptor_target" => {
            let known = own(program)?;
            program.line(me, format!("holds(fcntl({known}, F_GETFD) >= 0, \"the descriptor is open\");"));
            program.checks += 1;
        }
        "is_close_on_exec" => {
            let (known, number) = (own(program)?, u64::from(step.answer == "true"));
            let (flag, _) = program.variable(me, Kind::Number, "int", "close_on_exec", number);
            program.line(me, format!("{flag} = (fcntl({known}, F_GETFD) & FD_CLOEXEC) != 0;"));
        }
        "descriptor_count" => {
            program.helpers.insert("count");
            let number = answered(&step.answer).ok_or_else(missing)?;
            let (count, _) = program.variable(me, Kind::Number, "int", "descriptors", number);
            program.line(me, format!("{count} = count_descriptors();"));
        }
        "usage" | "usage_of" => usage::measure(program, me, step)?,
        "send_through_descriptor" => {
            let handle = handle(step).ok_or_else(missing)?;
            let handle = program.values.handles(&handle).last().copied().ok_or_else(missing)?;
            let handle = program.bring(handle, me);
            let end = get(program, me, received()?)?;
            program.line(me, format!("works(write({end}, &{handle}, sizeof {handle}));"));
        }
        "receive_through_descriptor" => {
            let bytes = handle(step).ok_or_else(missing)?;
            let end = get(program, me, received()?)?;
            let (handle, value) = program.variable(me, Kind::Handle, "CUipcMemHandle", "handle", 0);
            program.values.get_mut(value).bytes = bytes;
            if received()?.size > 0 {
                program.line(me, format!("works(lseek({end}, 0, SEEK_SET));"));
            }
            program.line(me, format!("works(read({end}, &{handle}, sizeof {handle}));"));
        }
        "set_standard_input" => {
            let source = match step.number("descriptor") {
                Some(_) => own(program)?,
                None => "open(\"/dev/null\", O_RDONLY)".to_owned(),
            };
            program.line(me, format!("works(dup2({source}, 0));"));
        }
        "exhaust_descriptors" => {
            program.helpers.insert("exhaust");
            let number = answered(&step.answer).ok_or_else(missing)?;
            let (limit, _) = program.variable(me, Kind::Number, "rlim_t", "limit", number);
            program.line(me, format!("{limit} = exhaust_descriptors();"));
        }
        "limit_descriptors" => {
            let number = tokens(&step.text).into_iter().find_map(|token| match token {
                Token::Number(number) => u64::try_from(number).ok(),
                _ => None,
            });
            let limits = program.values.equal_to(number.ok_or_else(missing)?, |value| value.of == "rlim_t");
            let limit = program.values.get(*limits.last().ok_or_else(missing)?).name.clone();
            program.line(me, format!("limit_descriptors({limit});"));
        }
        "process_id" => {
            let number = answered(&step.answer).ok_or_else(missing)?;
            let (id, _) = program.variable(me, Kind::Process, "int", "process", number);
            program.line(me, format!("{id} = getpid();"));
        }
        "set_last_process_id" => {
            let setting = "/proc/sys/kernel/ns_last_pid";
            let next = number("number")?.saturating_add(1);
            let next = program.values.equal_to(next, |value| value.kind == Kind::Process).last().copied();
            let next = program.bring(next.ok_or_else(missing)?, me);
            let last = program.name("last_process");
            program.declare(me, "int", &last);
            program.line(me, format!("{last} = works(open(\"{setting}\", O_WRONLY | O_CLOEXEC));"));
            program.line(me, format!("works(dprintf({last}, \"%d\", {next} - 1));"));
            program.line(me, format!("close({last});"));
        }
        "allow_tracer" => {
            program.line(me, "prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);");
        }
        "take_descriptor" => {
            let (Some(from), Some(number)) = (step.other, answered(&step.answer)) else {
                return Err(Unwritable::new("the system does not let a process take a descriptor of another one"));
            };
            let from = from + 1;
            let taken = i32::try_from(step.number("descriptor").ok_or_else(missing)?).map_err(|_| missing())?;
            let theirs = |value: &Value| value.owner == from && value.kind == Kind::Descriptor;
            let theirs = program.values.equal_to(taken.cast_unsigned().into(), theirs).last().copied();
            let theirs = program.values.get(theirs.ok_or_else(missing)?).name.clone();
            // The number of a descriptor means nothing to another process until it takes the descriptor.
            let (process, process_value) = program.variable(from, Kind::Number, "int", "process", u64::MAX);
            let (remote, remote_value) = program.variable(from, Kind::Number, "int", "remote", u64::MAX);
            program.turn(from);
            program.line(from, format!("{process} = getpid();"));
            program.line(from, format!("{remote} = {theirs};"));
            program.turn(me);
            program.bring(process_value, me);
            program.bring(remote_value, me);
            let (kept, _) = program.variable(me, Kind::Descriptor, "int", "descriptor", number);
            program.line(
                me,
                format!("{kept} = works(syscall(SYS_pidfd_getfd, works(syscall(SYS_pidfd_open, {process}, 0)), {remote}, 0));"),
            );
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Notes that a participant has closed a descriptor.
pub(crate) fn released(program: &mut Program, me: usize, name: &str) {
    for place in program.values.all_that(|value| value.owner == me && value.name == name) {
        program.values.get_mut(place).is_released = true;
    }
}

/// Closes the copies that stand for the runner's copy of a descriptor, in those of its holders that can act.
pub(crate) fn close(program: &mut Program, from: usize, target: &str, can_act: impl Fn(usize) -> bool) {
    let values = &program.values;
    let is_it = |sent: &&mut Sent| !sent.is_closed && sent.target == target && values.get(sent.value).owner == from;
    let Some(sent) = program.sent.iter_mut().find(is_it) else { return };
    sent.is_closed = true;
    let Value { name, holders, .. } = program.values.get(sent.value).clone();
    for holder in holders.into_iter().filter(|holder| can_act(*holder)) {
        program.turn(holder);
        program.line(holder, format!("close({name});"));
    }
    released(program, from, &name);
}

/// Puts a descriptor that a participant sent to the runner into a socket that nobody reads.
pub(crate) fn leave_unread(program: &mut Program, from: usize, target: &str) -> Result<(), Unwritable> {
    if program.is_new(from) {
        return Err(Unwritable::new(
            "a program cannot leave a descriptor unread that comes from a process which has replaced its program",
        ));
    }
    let values = &program.values;
    let is_it = |sent: &&Sent| !sent.is_closed && sent.target == target && values.get(sent.value).owner == from;
    let Some(name) = program.sent.iter().find(is_it).map(|sent| values.get(sent.value).name.clone()) else {
        return Err(Unwritable::new("a descriptor is left unread that no process sent"));
    };
    program.helpers.insert("unread");
    program.turn(from);
    program.line(from, format!("leave_unread({name});"));
    Ok(())
}

/// Returns the handle in the text or the result of a step.
fn handle(step: &Step) -> Option<Vec<u8>> {
    let tokens = tokens(&step.text).into_iter().chain(tokens(&step.answer));
    let handle = |token| match token {
        Token::Handle(bytes) => Some(bytes),
        _ => None,
    };
    tokens.filter_map(handle).next()
}

/// Returns a descriptor that came to a participant: one that a process sent before, or one that the program makes here.
fn get(program: &mut Program, me: usize, wanted: &story::Descriptor) -> Result<String, Unwritable> {
    let is_it = |sent: &&Sent| !sent.is_closed && sent.target == wanted.target && sent.write_only == wanted.write_only;
    if let Some(sent) = program.sent.iter().rev().find(is_it) {
        return Ok(program.bring(sent.value, me));
    }
    if wanted.target.starts_with(SOCKET)
        && let Some(other) = program.sent.iter_mut().find(|sent| sent.target == SOCKET)
    {
        // The other end of a pair.
        other.target.clone_from(&wanted.target);
        let value = other.value;
        return Ok(program.bring(value, me));
    }
    make(program, me, wanted)
}

const SOCKET: &str = "socket:";

/// Makes a descriptor in a participant, as the runner made it.
fn make(program: &mut Program, me: usize, wanted: &story::Descriptor) -> Result<String, Unwritable> {
    let story::Descriptor { target, write_only, size } = wanted;
    let add = |program: &mut Program, stem: &str, target: &str, write_only: bool| {
        let (name, value) = program.variable(me, Kind::Descriptor, "int", stem, u64::MAX);
        program.sent.push(Sent { target: target.to_owned(), write_only, value, is_closed: false });
        name
    };
    if target.starts_with("pipe:") || target.starts_with(SOCKET) {
        let pair = program.name("pair");
        program.declare(me, "int", &format!("{pair}[2]"));
        let is_pipe = target.starts_with("pipe:");
        let (first, second) = if is_pipe {
            (add(program, "read_end", target, false), add(program, "write_end", target, true))
        } else {
            (add(program, "socket", target, false), add(program, "socket", SOCKET, false))
        };
        let call =
            if is_pipe { format!("pipe({pair})") } else { format!("socketpair(AF_UNIX, SOCK_STREAM, 0, {pair})") };
        program.line(me, format!("works({call});"));
        program.line(me, format!("{first} = {pair}[0];"));
        program.line(me, format!("{second} = {pair}[1];"));
        return Ok(if is_pipe && *write_only { second } else { first });
    }
    let call = match &**target {
        "/dev/null" => "open(\"/dev/null\", O_RDONLY)".to_owned(),
        "anon_inode:[eventfd]" => "eventfd(0, EFD_CLOEXEC)".to_owned(),
        _ if target.starts_with("/memfd:") => "memfd_create(\"memory\", MFD_CLOEXEC)".to_owned(),
        _ if target.ends_with(" (deleted)") => "fileno(tmpfile())".to_owned(),
        _ => return Err(Unwritable::new(format!("the case passes a descriptor of {target}, which no process made"))),
    };
    let name = add(program, "made", target, *write_only);
    program.line(me, format!("{name} = works({call});"));
    if *size > 0 {
        program.line(me, format!("works(ftruncate({name}, {}));", super::call::size(*size)));
    }
    Ok(name)
}
