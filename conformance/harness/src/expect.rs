//! Expectations of a case about a call that may fail.

use cuda_ipc_sys::CUresult;

use crate::trace::{self, Expectation};
use crate::{Stop, case, observe};

/// The expectations of a case about a call's result, other than success, for which it uses `?`.
pub trait Expect<T>: Sized {
    /// Expects that the driver refuses the call, with one of these codes if any are given.
    ///
    /// # Errors
    /// The call succeeded, or the driver returned another code.
    fn refused(self, codes: &[CUresult]) -> Result<(), Stop> {
        self.refusal(codes).map(|_| ())
    }

    /// Expects a refusal as [`refused`](Self::refused) does, and returns the code.
    ///
    /// # Errors
    /// The call succeeded, or the driver returned another code.
    fn refusal(self, codes: &[CUresult]) -> Result<CUresult, Stop>;

    /// Expects a refusal as [`refused`](Self::refused) does, and records the code as the observation `code`: the
    /// documentation does not determine it.
    ///
    /// # Errors
    /// The call succeeded, or the driver returned another code.
    fn refused_and_recorded(self, codes: &[CUresult]) -> Result<(), Stop> {
        observe("code", self.refusal(codes)?.to_string());
        Ok(())
    }

    /// Accepts success and refusal. Records the code, and returns the output if the call succeeded.
    ///
    /// # Errors
    /// The process crashed or hung.
    fn recorded(self, name: &str) -> Result<Option<T>, Stop>;

    /// Accepts success, and refusal with one of these codes. Records the code, and returns the output if the call
    /// succeeded.
    ///
    /// # Errors
    /// The driver returned another code.
    fn recorded_among(self, name: &str, codes: &[CUresult]) -> Result<Option<T>, Stop>;

    /// Accepts success, and refusal with one of these codes. Returns the output if the call succeeded.
    ///
    /// # Errors
    /// The driver returned another code, or the process crashed or hung.
    fn accepted_or(self, codes: &[CUresult]) -> Result<Option<T>, Stop>;

    /// Accepts success and refusal. Returns the output if the call succeeded.
    ///
    /// # Errors
    /// The process crashed or hung.
    fn if_accepted(self) -> Result<Option<T>, Stop>;

    /// Makes a second call with the output of the first one. What the case then expects, it expects of both together: the
    /// first call may be refused as well as the second.
    ///
    /// # Errors
    /// One of the calls was refused, or a process crashed or hung.
    fn followed_by<U>(self, second: impl FnOnce(T) -> Result<U, Stop>) -> Result<U, Stop>;

    /// Accepts success if a boolean attribute, which the case asked for just before, is 1, and refusal if it is 0. Returns
    /// the output if the call succeeded.
    ///
    /// # Errors
    /// The call and the attribute disagree, the attribute is neither 0 nor 1, or the process crashed or hung.
    fn agrees_with(self, attribute: impl Into<i64>) -> Result<Option<T>, Stop>;

    /// Compares with an attribute as [`agrees_with`](Self::agrees_with) does, and records the code.
    ///
    /// # Errors
    /// As [`agrees_with`](Self::agrees_with).
    fn recorded_and_agrees_with(self, name: &str, attribute: impl Into<i64>) -> Result<Option<T>, Stop>;

    /// Accepts success, refusal, a crash and a hang. Records which of them happened, and returns the output if the call
    /// succeeded. The process may also crash or hang when it exits, and serves no other case.
    ///
    /// # Errors
    /// The harness failed.
    fn survived_or_not(self, name: &str) -> Result<Option<T>, Stop>;
}

impl<T> Expect<T> for Result<T, Stop> {
    fn refusal(self, codes: &[CUresult]) -> Result<CUresult, Stop> {
        let expected = || match codes {
            [] => "an error".to_owned(),
            codes => codes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or "),
        };
        trace::expect(refused(&self), || Expectation::Refused(codes.iter().map(|code| code.0).collect()));
        match self {
            Ok(_) => Err(Stop::Accepted { step: case::last_accepted_step(), expected: expected() }),
            Err(Stop::Refused(refusal)) if codes.is_empty() || codes.contains(&refusal.code) => Ok(refusal.code),
            Err(Stop::Refused(refusal)) => Err(Stop::Unexpected { refusal, expected: expected() }),
            Err(other) => Err(other),
        }
    }

    fn recorded(self, name: &str) -> Result<Option<T>, Stop> {
        observe_code(&self, name);
        self.if_accepted()
    }

    fn recorded_among(self, name: &str, codes: &[CUresult]) -> Result<Option<T>, Stop> {
        observe_code(&self, name);
        self.accepted_or(codes)
    }

    fn accepted_or(self, codes: &[CUresult]) -> Result<Option<T>, Stop> {
        // A program must know both results, whichever the driver returned.
        trace::expect(refused(&self), || Expectation::Among(codes.iter().map(|code| code.0).collect()));
        match self {
            Ok(value) => Ok(Some(value)),
            Err(Stop::Refused(refusal)) if codes.contains(&refusal.code) => Ok(None),
            Err(Stop::Refused(refusal)) => {
                let codes = codes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ");
                Err(Stop::Unexpected { refusal, expected: format!("CUDA_SUCCESS or {codes}") })
            }
            Err(other) => Err(other),
        }
    }

    fn if_accepted(self) -> Result<Option<T>, Stop> {
        trace::expect(refused(&self), || Expectation::Any);
        match self {
            Ok(value) => Ok(Some(value)),
            Err(Stop::Refused(_)) => Ok(None),
            Err(other) => Err(other),
        }
    }

    fn followed_by<U>(self, second: impl FnOnce(T) -> Result<U, Stop>) -> Result<U, Stop> {
        let first = self?;
        trace::expect(None, || Expectation::Any);
        second(first)
    }

    fn agrees_with(self, attribute: impl Into<i64>) -> Result<Option<T>, Stop> {
        let attribute = attribute.into();
        trace::expect(refused(&self), || Expectation::Any);
        let (ended, expected) = match &self {
            Ok(_) => ("succeeded", 1),
            Err(Stop::Refused(_)) => ("was refused", 0),
            Err(_) => return self.map(Some),
        };
        // The program goes on only if the call succeeds or is refused as in the recorded run. So it checks the attribute.
        let text = format!("the call {ended}, so the attribute == {expected}");
        trace::check(&text, &attribute, "==", &expected, attribute == expected);
        let because = |expected| match attribute {
            0 | 1 => format!("{expected}, because the attribute is {attribute}"),
            _ => format!("the attribute to be 0 or 1, and it is {attribute}"),
        };
        match self {
            Ok(value) if attribute == expected => Ok(Some(value)),
            Ok(_) => Err(Stop::Accepted { step: case::last_accepted_step(), expected: because("an error") }),
            Err(Stop::Refused(_)) if attribute == expected => Ok(None),
            Err(Stop::Refused(refusal)) => Err(Stop::Unexpected { refusal, expected: because("CUDA_SUCCESS") }),
            Err(other) => Err(other),
        }
    }

    fn recorded_and_agrees_with(self, name: &str, attribute: impl Into<i64>) -> Result<Option<T>, Stop> {
        observe_code(&self, name);
        self.agrees_with(attribute)
    }

    fn survived_or_not(self, name: &str) -> Result<Option<T>, Stop> {
        case::last_role_may_crash();
        let refusing = refused(&self).map(str::to_owned);
        let survived = match self {
            Err(Stop::Crashed { end, .. }) => {
                observe(name, end);
                Ok(None)
            }
            Err(Stop::TimedOut { .. }) => {
                observe(name, "no answer before the deadline");
                Ok(None)
            }
            other => other.recorded(name),
        };
        trace::expect(refusing.as_deref(), || Expectation::Survives);
        survived
    }
}

/// Returns the function that refused a call.
fn refused<T>(result: &Result<T, Stop>) -> Option<&str> {
    match result {
        Err(Stop::Refused(refusal)) => Some(&refusal.function),
        _ => None,
    }
}

/// Records the code that a call returned.
fn observe_code<T>(result: &Result<T, Stop>, name: &str) {
    match result {
        Ok(_) => observe(name, CUresult::CUDA_SUCCESS.to_string()),
        Err(Stop::Refused(refusal)) => observe(name, refusal.code.to_string()),
        Err(_) => {}
    }
}
