//! The macros behind the calls: `calls!` defines the calls of one resource, `cuda!` performs one driver call.
//!
//! Editors cannot follow a name through these macros. `exporter.mem_alloc(…)` is the item `fn mem_alloc` in the
//! `calls!` block of `calls/memory.rs`: search for `fn <name>`. `cuda!(session.cuMemAlloc(…))` calls the method
//! `cuMemAlloc` of `cuda_ipc_sys::Driver`.

/// Defines the calls of one resource.
///
/// In a body, `session` performs driver calls, and `?` sends a refusal back to the runner.
macro_rules! calls {
    ($($(#[doc = $doc:literal])*
       fn $name:ident($session:ident $(, $argument:ident: $type:ty)*) -> $output:ty $body:block)*) => {
        /// The calls of this resource.
        #[derive(Debug, ::serde::Serialize, ::serde::Deserialize)]
        #[allow(non_camel_case_types, missing_docs)]
        pub enum Call {
            $($(#[doc = $doc])* $name { $($argument: $type),* },)*
        }

        impl Call {
            /// The names of the calls, as steps have them.
            pub(crate) const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            /// The lines of the documentation of each call.
            pub(crate) const DOCUMENTATION: &'static [&'static [&'static str]] = &[$(&[$($doc),*]),*];

            /// Performs the call in a role. Returns the encoded answer.
            pub(crate) fn perform(self, session: &mut $crate::role::Session) -> Vec<u8> {
                match self {
                    $(Self::$name { $($argument),* } => {
                        // Calls that only touch the process itself do not use it.
                        #[allow(unused_variables)]
                        let $session = session;
                        #[allow(clippy::redundant_closure_call)]
                        let output: Result<$output, $crate::message::Refused> = (|| $body)();
                        $crate::message::encode(&output)
                    })*
                }
            }
        }

        #[allow(clippy::too_many_arguments)]
        impl $crate::Role {
            $($(#[doc = $doc])*
            ///
            /// # Errors
            /// [`Stop`](crate::Stop): the driver refused the call, or the process ended or hung.
            pub fn $name(&self, $($argument: $type),*) -> Result<$output, $crate::Stop> {
                self.perform(&$crate::calls::AnyCall::from(Call::$name { $($argument),* }))
            }
            )*
        }
    };
}

/// Calls a driver function in a role. Any code except `CUDA_SUCCESS` ends the call as a refusal.
macro_rules! cuda {
    ($session:ident.$function:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: outputs are live locals of the right type. Some cases pass invalid inputs on purpose: they run in
        // this process because it may be lost.
        let answer = unsafe { called!($session.driver, $function($($argument),*)) };
        $crate::message::answered(stringify!($function), answer)?
    }};
}

/// Calls a function of a library, through the trace. Returns its code, or that the library lacks the function.
macro_rules! called {
    ($library:expr, $function:ident($($argument:expr),* $(,)?)) => {
        match $library.functions().$function {
            Some(function) => {
                Ok($crate::trace::through_the_trace!(stringify!($function), function; $($argument),*))
            }
            None => $library.$function($($argument),*),
        }
    };
}
