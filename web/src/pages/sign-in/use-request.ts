/** A request of a page before sign-in, in the words of React Query, which would be larger than these pages themselves. */
import { useEffect, useRef, useState } from "react";

type RequestState<Input, Output> = {
  isPending: boolean;
  error: unknown;
  data: Output | undefined;
  /** The input of the latest request. */
  variables: Input | undefined;
};

export type Request<Input, Output> = RequestState<Input, Output> & {
  isSuccess: boolean;
  mutate: (input: Input) => void;
  reset: () => void;
};

const IDLE = { isPending: false, error: null, data: undefined, variables: undefined };

/** Sent by a form. */
export function useRequest<Output, Input = void>(
  send: (input: Input) => Promise<Output>,
  on: { success?: (output: Output) => void; error?: (error: unknown) => void } = {},
): Request<Input, Output> {
  const [state, setState] = useState<RequestState<Input, Output>>(IDLE);
  const mutate = (input: Input) => {
    setState({ ...IDLE, isPending: true, variables: input });
    send(input).then(
      (data) => {
        setState({ ...IDLE, data, variables: input });
        on.success?.(data);
      },
      (error) => {
        setState({ ...IDLE, error, variables: input });
        on.error?.(error);
      },
    );
  };
  return { ...state, isSuccess: state.data !== undefined, mutate, reset: () => setState(IDLE) };
}

/** Sent once, when the page is shown. */
export function useAnswer<Output>(send: () => Promise<Output>): Request<void, Output> {
  const request = useRequest(send);
  const isSent = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a token works once, so it must be sent once
  useEffect(() => {
    if (!isSent.current) request.mutate();
    isSent.current = true;
  }, []);
  return request;
}
