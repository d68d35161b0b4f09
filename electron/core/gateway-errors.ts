import { GatewayError } from '#shared/client/gateway-error.ts';
import { AppError, type ErrorCode, isErrorCode } from '#shared/errors.ts';

const ours: Readonly<Record<string, ErrorCode>> = {
  unreachable: 'gateway_unreachable',
  not_a_gateway: 'gateway_not_recognised',
  truncated: 'upstream_truncated',
};

/** A gateway's refusal as the app's own error: its code where we know it, its own sentence always. */
export function fromGateway(error: unknown): unknown {
  if (error instanceof GatewayError) {
    const code = ours[error.code] ?? (isErrorCode(error.code) ? error.code : 'upstream_bad_response');
    return new AppError(code, error.message, {
      ...(error.retryAfterMs === null ? {} : { retryAfterMs: error.retryAfterMs }),
      details: { ...error.details, ...(error.requestId ? { requestId: error.requestId } : {}) },
      cause: error,
    });
  }
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new AppError('gateway_unreachable', 'The gateway took too long to answer. Try again.', { cause: error });
  }
  return error;
}

/** Runs a call to the gateway; what it fails with is ours. */
export async function askGateway<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw fromGateway(error);
  }
}
