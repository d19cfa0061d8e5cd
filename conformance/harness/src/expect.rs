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
            Ok(_) => Err(Stop::Unexpected { refusal: None, expected: expected() }),
            Err(Stop::Refused(refusal)) if codes.is_empty() || codes.contains(&refusal.code) => Ok(refusal.code),
            Err(Stop::Refused(refusal)) => Err(Stop::Unexpected { refusal: Some(refusal), expected: expected() }),
            Err(other) => Err(other),
        }
    }

    fn recorded(self, name: &str) -> Result<Option<T>, Stop> {
        trace::expect(refused(&self), || Expectation::Any);
        match self {
            Ok(value) => {
                observe(name, CUresult::CUDA_SUCCESS.to_string());
                Ok(Some(value))
            }
            Err(Stop::Refused(refusal)) => {
                observe(name, refusal.code.to_string());
                Ok(None)
            }
            Err(other) => Err(other),
        }
    }

    fn recorded_among(self, name: &str, codes: &[CUresult]) -> Result<Option<T>, Stop> {
        let refusing = refused(&self).map(str::to_owned);
        let recorded = match self {
            Err(Stop::Refused(_)) => {
                observe(name, self.refusal(codes)?.to_string());
                Ok(None)
            }
            other => other.recorded(name),
        };
        trace::expect(refusing.as_deref(), || Expectation::Among(codes.iter().map(|code| code.0).collect()));
        recorded
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
