//! The macros behind the calls: `calls!` defines the calls of one resource, `cuda!` performs one driver call.

/// Defines the calls of one resource.
///
/// In a body, `session` performs them, and `?` brings a refusal back to the runner.
macro_rules! calls {
    ($($(#[$attribute:meta])*
       fn $name:ident($session:ident $(, $argument:ident: $type:ty)*) -> $output:ty $body:block)*) => {
        /// The calls of this resource.
        #[derive(Debug, ::serde::Serialize, ::serde::Deserialize)]
        #[allow(non_camel_case_types, missing_docs)]
        pub enum Call {
            $($(#[$attribute])* $name { $($argument: $type),* },)*
        }

        impl Call {
            /// What the role does, and the encoded output.
            pub(crate) fn perform(
                self,
                session: &mut $crate::role::session::Session,
            ) -> Result<Vec<u8>, $crate::calls::Refused> {
                match self {
                    $(Self::$name { $($argument),* } => {
                        let $session = session;
                        #[allow(clippy::redundant_closure_call)]
                        let output: $output = (|| -> Result<$output, $crate::calls::Refused> { $body })()?;
                        $crate::calls::encode(&output)
                    })*
                }
            }
        }

        #[allow(clippy::too_many_arguments)]
        impl $crate::Role {
            $($(#[$attribute])*
            ///
            /// # Errors
            /// [`Stop`](crate::Stop): the driver's refusal, or what became of the process.
            pub fn $name(&self, $($argument: $type),*) -> Result<$output, $crate::Stop> {
                self.perform(Call::$name { $($argument),* })
            }
            )*
        }
    };
}

/// Calls a driver function in a role; any code but `CUDA_SUCCESS` ends the call as a refusal.
macro_rules! cuda {
    ($session:ident.$function:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: outputs are live locals of the right type. Wild inputs are the point of some cases: they are
        // performed in this process because it is the one that may be lost.
        let answer = unsafe { $session.driver.$function($($argument),*) };
        $crate::calls::answered(stringify!($function), answer)?
    }};
}
