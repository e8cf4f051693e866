"""The two ends of a pipeline as objects that keep their own state (notes/cutedsl.md 1.4, participants API).

Private fields carry the names that Python mangles them to: kernels reach for them under these.
"""

import cutlass.pipeline.helpers as helpers


class ImmutableResourceHandle:
    """One stage, acquired or waited for: it stays what it was when its participant moves on."""

    def __init__(self, origin, immutable_state):
        self._ImmutableResourceHandle__origin = origin
        self._ImmutableResourceHandle__immutable_state = immutable_state

    @property
    def index(self):
        return self._ImmutableResourceHandle__immutable_state.index

    @property
    def count(self):
        return self._ImmutableResourceHandle__immutable_state.count

    def get_origin(self):
        return self._ImmutableResourceHandle__origin


class ProducerHandle(ImmutableResourceHandle):
    @property
    def barrier(self):
        return self.get_origin().producer_get_barrier(self._ImmutableResourceHandle__immutable_state)

    def commit(self, *, loc=None, ip=None):
        self.get_origin().producer_commit(self._ImmutableResourceHandle__immutable_state)


class ConsumerHandle(ImmutableResourceHandle):
    @property
    def barrier(self):
        return self.get_origin().consumer_get_barrier(self._ImmutableResourceHandle__immutable_state)

    def release(self, *, loc=None, ip=None):
        self.get_origin().consumer_release(self._ImmutableResourceHandle__immutable_state)


class PipelineProducer:
    ImmutableResourceHandle = ProducerHandle

    def __init__(self, pipeline, state, group):
        self._PipelineProducer__pipeline = pipeline
        self._PipelineProducer__state = state
        self._PipelineProducer__group = group

    def clone(self):
        return PipelineProducer(self._PipelineProducer__pipeline, self._PipelineProducer__state.clone(), self._PipelineProducer__group)

    def reset(self, *, loc=None, ip=None):
        self._PipelineProducer__state.reset_count()

    def current_handle(self):
        return ProducerHandle(self._PipelineProducer__pipeline, self._PipelineProducer__state.clone())

    def acquire(self, try_acquire_token=None, *, loc=None, ip=None, **kwargs):
        self._PipelineProducer__pipeline.producer_acquire(self._PipelineProducer__state, try_acquire_token, **kwargs)
        return self.current_handle()

    def advance(self, *, loc=None, ip=None):
        self._PipelineProducer__state.advance()

    def acquire_and_advance(self, try_acquire_token=None, *, loc=None, ip=None, **kwargs):
        handle = self.acquire(try_acquire_token, **kwargs)
        self.advance()
        return handle

    def try_acquire(self, *, loc=None, ip=None):
        return self._PipelineProducer__pipeline.producer_try_acquire(self._PipelineProducer__state)

    def commit(self, handle=None, *, loc=None, ip=None):
        """Without a handle it is the stage the producer stands at: after acquire_and_advance, the next one."""
        if handle is not None:
            handle.commit()
        else:
            self._PipelineProducer__pipeline.producer_commit(self._PipelineProducer__state)

    def tail(self, *, loc=None, ip=None):
        self._PipelineProducer__pipeline.producer_tail(self._PipelineProducer__state)


class PipelineConsumer:
    ImmutableResourceHandle = ConsumerHandle

    def __init__(self, pipeline, state, group):
        self._PipelineConsumer__pipeline = pipeline
        self._PipelineConsumer__state = state
        self._PipelineConsumer__group = group

    def clone(self):
        return PipelineConsumer(self._PipelineConsumer__pipeline, self._PipelineConsumer__state.clone(), self._PipelineConsumer__group)

    def reset(self, *, loc=None, ip=None):
        self._PipelineConsumer__state.reset_count()

    def current_handle(self):
        return ConsumerHandle(self._PipelineConsumer__pipeline, self._PipelineConsumer__state.clone())

    def wait(self, try_wait_token=None, *, loc=None, ip=None):
        self._PipelineConsumer__pipeline.consumer_wait(self._PipelineConsumer__state, try_wait_token)
        return self.current_handle()

    def advance(self, *, loc=None, ip=None):
        self._PipelineConsumer__state.advance()

    def wait_and_advance(self, try_wait_token=None, *, loc=None, ip=None):
        handle = self.wait(try_wait_token)
        self.advance()
        return handle

    def try_wait(self, *, loc=None, ip=None):
        return self._PipelineConsumer__pipeline.consumer_try_wait(self._PipelineConsumer__state)

    def release(self, handle=None, *, loc=None, ip=None):
        if handle is not None:
            handle.release()
        else:
            self._PipelineConsumer__pipeline.consumer_release(self._PipelineConsumer__state)
