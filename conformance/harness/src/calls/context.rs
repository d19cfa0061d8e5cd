//! Contexts of a role. Every role starts with its device's primary context current.

use std::ptr;

use cuda_ipc_sys::CUctx_flags;

use crate::Context;
use crate::role::Resource;

calls! {
    /// `cuCtxCreate` on a device. The new context is current.
    fn ctx_create(session, device: i32) -> Context {
        let mut context = ptr::null_mut();
        cuda!(session.cuCtxCreate(&mut context, CUctx_flags::CU_CTX_SCHED_AUTO.0, device));
        // `cuCtxCreate` pushes the context. The role keeps at most one context on the stack, so that
        // `ctx_set_current(None)` leaves no current context.
        cuda!(session.cuCtxPopCurrent(&mut context));
        cuda!(session.cuCtxSetCurrent(context));
        session.ledger.add(Resource::Context(context as u64));
        Ok(Context(context as u64))
    }

    /// `cuCtxDestroy`.
    fn ctx_destroy(session, context: Context) -> () {
        cuda!(session.cuCtxDestroy(context.0 as _));
        session.ledger.context_gone(context.0);
        session.functions.retain(|(of, _), _| *of != context.0);
        Ok(())
    }

    /// `cuCtxGetCurrent`.
    fn ctx_get_current(session) -> Context {
        let mut context = ptr::null_mut();
        cuda!(session.cuCtxGetCurrent(&mut context));
        Ok(Context(context as u64))
    }

    /// `cuCtxSetCurrent`. `None` leaves the thread without a current context.
    fn ctx_set_current(session, context: Option<Context>) -> () {
        cuda!(session.cuCtxSetCurrent(context.map_or(0, |context| context.0) as _));
        Ok(())
    }

    /// `cuCtxSynchronize`.
    fn ctx_synchronize(session) -> () {
        cuda!(session.cuCtxSynchronize());
        Ok(())
    }

    /// `cuCtxEnablePeerAccess`.
    fn ctx_enable_peer_access(session, peer: Context) -> () {
        cuda!(session.cuCtxEnablePeerAccess(peer.0 as _, 0));
        session.ledger.add(Resource::PeerAccess(peer.0));
        Ok(())
    }

    /// `cuCtxEnablePeerAccess` with flags.
    fn ctx_enable_peer_access_with_flags(session, peer: Context, flags: u32) -> () {
        cuda!(session.cuCtxEnablePeerAccess(peer.0 as _, flags));
        session.ledger.add(Resource::PeerAccess(peer.0));
        Ok(())
    }

    /// `cuCtxDisablePeerAccess`.
    fn ctx_disable_peer_access(session, peer: Context) -> () {
        cuda!(session.cuCtxDisablePeerAccess(peer.0 as _));
        session.ledger.remove(&Resource::PeerAccess(peer.0));
        Ok(())
    }

    /// `cuDevicePrimaryCtxReset` of the role's device, which destroys everything in the primary context.
    fn device_primary_ctx_reset(session) -> () {
        let device = session.device;
        cuda!(session.cuDevicePrimaryCtxReset(device));
        session.ledger.everything_gone();
        session.functions.clear();
        session.spoil("its primary context was reset");
        Ok(())
    }

    /// `cuDevicePrimaryCtxRetain` of the role's device. Makes the context current.
    fn device_primary_ctx_retain(session) -> Context {
        let device = session.device;
        let mut context = ptr::null_mut();
        cuda!(session.cuDevicePrimaryCtxRetain(&mut context, device));
        cuda!(session.cuCtxSetCurrent(context));
        session.spoil("its primary context was retained again");
        Ok(Context(context as u64))
    }

    /// `cuDevicePrimaryCtxRetain` of another device. The context is released when the case ends. The current context
    /// does not change.
    fn device_primary_ctx_retain_of(session, device: i32) -> Context {
        let mut context = ptr::null_mut();
        cuda!(session.cuDevicePrimaryCtxRetain(&mut context, device));
        session.ledger.add(Resource::PrimaryContext(device));
        Ok(Context(context as u64))
    }
}
