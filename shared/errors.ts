/**
 * The only error type, with a closed list of codes. The table defines what each code means on the wire: HTTP status,
 * group, and whether retrying can help (wire contract §3.2).
 */

type ErrorGroup =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'billing_error'
  | 'permission_error'
  | 'not_found_error'
  | 'timeout_error'
  | 'conflict_error'
  | 'rate_limit_error'
  | 'server_error'
  | 'upstream_error'
  | 'app_error';

interface ErrorKind {
  readonly status: number;
  readonly type: ErrorGroup;
  readonly retryable: boolean;
}

const kind = (status: number, type: ErrorGroup, retryable = false): ErrorKind => ({ status, type, retryable });
const badRequest = kind(400, 'invalid_request_error');

export const errorKinds = {
  invalid_json: badRequest,
  missing_required_parameter: badRequest,
  invalid_type: badRequest,
  invalid_value: badRequest,
  unknown_parameter: badRequest,
  unsupported_parameter: badRequest,
  unsupported_value: badRequest,
  unsupported_tool_type: badRequest,
  invalid_provider: badRequest,
  provider_model_mismatch: badRequest,
  invalid_role: badRequest,
  invalid_tool_call_id: badRequest,
  max_tokens_too_large: badRequest,
  context_length_exceeded: badRequest,
  invalid_image: badRequest,
  invalid_file: badRequest,
  unsupported_modality: badRequest,
  unsupported_file_id: badRequest,
  file_download_failed: badRequest,
  invalid_query_parameter: badRequest,
  byoapi_key_requires_provider: badRequest,
  byoapi_key_rejected: badRequest,
  content_policy_violation: badRequest,
  upstream_invalid_request: badRequest,
  malformed_request: badRequest,

  missing_credentials: kind(401, 'authentication_error'),
  malformed_authorization: kind(401, 'authentication_error'),
  invalid_api_key: kind(401, 'authentication_error'),
  api_key_expired: kind(401, 'authentication_error'),
  invalid_token: kind(401, 'authentication_error'),
  token_expired: kind(401, 'authentication_error'),

  insufficient_credits: kind(402, 'billing_error'),
  key_spend_limit_exceeded: kind(402, 'billing_error'),
  byoapi_key_insufficient_quota: kind(402, 'billing_error'),

  insufficient_scope: kind(403, 'permission_error'),
  plan_required: kind(403, 'permission_error'),
  plan_limit_exceeded: kind(403, 'permission_error'),
  model_not_in_plan: kind(403, 'permission_error'),
  account_suspended: kind(403, 'permission_error'),
  ip_not_allowed: kind(403, 'permission_error'),
  origin_not_allowed: kind(403, 'permission_error'),

  model_not_found: kind(404, 'not_found_error'),
  unknown_endpoint: kind(404, 'not_found_error'),
  no_eligible_model: kind(404, 'not_found_error'),
  request_not_found: kind(404, 'not_found_error'),
  key_not_found: kind(404, 'not_found_error'),

  method_not_allowed: kind(405, 'invalid_request_error'),
  request_timeout: kind(408, 'timeout_error', true),
  idempotency_in_progress: kind(409, 'conflict_error', true),
  request_too_large: kind(413, 'invalid_request_error'),
  unsupported_media_type: kind(415, 'invalid_request_error'),
  unsupported_content_encoding: kind(415, 'invalid_request_error'),
  idempotency_key_reused: kind(422, 'invalid_request_error'),
  headers_too_large: kind(431, 'invalid_request_error'),

  rate_limit_exceeded: kind(429, 'rate_limit_error', true),
  token_rate_limit_exceeded: kind(429, 'rate_limit_error', true),
  concurrency_limit_exceeded: kind(429, 'rate_limit_error', true),
  too_many_auth_failures: kind(429, 'rate_limit_error', true),
  upstream_rate_limited: kind(429, 'rate_limit_error', true),

  client_closed_request: kind(499, 'app_error'),
  internal_error: kind(500, 'server_error', true),
  upstream_error: kind(502, 'upstream_error', true),
  upstream_bad_response: kind(502, 'upstream_error', true),
  upstream_truncated: kind(502, 'upstream_error', true),
  upstream_auth_failed: kind(502, 'upstream_error'),
  upstream_unreachable: kind(502, 'upstream_error', true),
  no_provider_available: kind(503, 'upstream_error', true),
  upstream_overloaded: kind(503, 'upstream_error', true),
  server_overloaded: kind(503, 'server_error', true),
  shutting_down: kind(503, 'server_error', true),
  upstream_timeout: kind(504, 'timeout_error'),

  // These occur only between renderer and core, never on the gateway's wire.
  invalid_input: kind(400, 'app_error'),
  not_found: kind(404, 'app_error'),
  cancelled: kind(499, 'app_error'),
  interrupted: kind(500, 'app_error', true),
  answer_in_progress: kind(409, 'app_error'),
  comparison_open: kind(409, 'app_error'),
  gateway_unreachable: kind(502, 'app_error', true),
  gateway_not_recognised: kind(502, 'app_error'),
  not_reported: kind(404, 'app_error'),
  keychain_failed: kind(500, 'app_error', true),
  keychain_locked: kind(500, 'app_error', true),
  port_unavailable: kind(409, 'app_error'),
  cap_exceeded: kind(402, 'app_error'),
  price_limit_exceeded: kind(402, 'app_error'),
  attachment_refused: kind(400, 'app_error'),
  link_refused: kind(400, 'app_error'),
  not_confirmed: kind(403, 'app_error'),
  confirmation_busy: kind(429, 'app_error', true),
  tool_server_failed: kind(502, 'app_error'),
  tool_server_changed: kind(409, 'app_error'),
  tool_failed: kind(502, 'app_error'),
  data_folder_unavailable: kind(409, 'app_error'),
  database_in_use: kind(503, 'app_error', true),
  database_unusable: kind(409, 'app_error'),
  disk_full: kind(507, 'app_error', true),
  backup_failed: kind(500, 'app_error', true),
  backup_unusable: kind(400, 'app_error'),
  import_refused: kind(400, 'app_error'),
  export_failed: kind(500, 'app_error', true),
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorKinds;

/**
 * Who ended or refused a request. `upstream`: the provider. `gateway`: the gateway itself, by a fault or by one of its
 * limits. `caller`: the client, or its request.
 */
export type ErrorOrigin = 'upstream' | 'gateway' | 'caller';

/**
 * Refusals by the provider. If the gateway predicts such a refusal, it refuses without asking the provider; the origin
 * is the same.
 */
const upstreamRefusals: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['content_policy_violation', 'context_length_exceeded', 'upstream_invalid_request'] as const),
  ...(['upstream_rate_limited', 'upstream_timeout', 'byoapi_key_rejected', 'byoapi_key_insufficient_quota'] as const),
]);

/** The origin of a code unless the error states another (`AppErrorDetails.origin`). */
function usualOrigin(code: ErrorCode): ErrorOrigin {
  const { type, status } = errorKinds[code];
  if (type === 'upstream_error' || upstreamRefusals.has(code)) return 'upstream';
  return status < 500 ? 'caller' : 'gateway';
}

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorKinds, code);

/** The provider's own error, without keys and addresses. */
export interface ProviderError {
  /** Its HTTP status. */
  readonly status: number;
  readonly code: string | null;
  readonly param: string | null;
  /** The provider's message. Null if only the code is passed on. */
  readonly message: string | null;
}

/** A text of the message catalogue by name and parameters, so each reader sees it in their own language. */
export interface Refusal {
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * A sentence for the user. Without `refusal` it comes from another program, such as a server, and is shown unchanged.
 */
export interface ProblemText {
  readonly message: string;
  readonly refusal?: Refusal | null | undefined;
}

/** Returns an error's text. */
export const getProblemText = ({ message, refusal }: ProblemText): ProblemText => ({ message, refusal });

/** Returns the refusal in an error's data. It is parsed by hand because zod is too large for the first load. */
export function refusalIn(data: unknown): Refusal | null {
  if (typeof data !== 'object' || data === null || !('refusal' in data)) return null;
  return isRefusal(data.refusal) ? data.refusal : null;
}

const isRefusal = (value: unknown): value is Refusal =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  typeof value.name === 'string' &&
  'values' in value &&
  typeof value.values === 'object' &&
  value.values !== null;

export interface AppErrorDetails {
  /** The dotted path of the rejected field, such as `messages[2].content`. */
  readonly param?: string | null;
  /** The provider that caused the error, if any. */
  readonly provider?: string | null;
  readonly providerError?: ProviderError | null;
  /**
   * Set if the origin isn't the usual one of the code, for example when one of the gateway's own limits ends a
   * provider's answer.
   */
  readonly origin?: ErrorOrigin;
  /** How many milliseconds to wait before a retry. */
  readonly retryAfterMs?: number;
  /**
   * Structured facts, such as `{ excluded: [...] }`. They are sent over the wire, so never put a key, a prompt or a
   * path here.
   */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Set if the message is a text of the app's catalogue. */
  readonly refusal?: Refusal | null | undefined;
  readonly cause?: unknown;
}

/** The only error whose message crosses a process boundary. All others are masked as `internal_error`. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly provider: string | null;
  readonly providerError: ProviderError | null;
  readonly retryAfterMs: number | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly refusal: Refusal | null;
  readonly origin: ErrorOrigin;

  constructor(code: ErrorCode, message: string, more: AppErrorDetails = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.param = more.param ?? null;
    this.provider = more.provider ?? null;
    this.providerError = more.providerError ?? null;
    this.retryAfterMs = more.retryAfterMs;
    this.details = more.details;
    this.refusal = more.refusal ?? null;
    this.origin = more.origin ?? usualOrigin(code);
  }

  get status(): number {
    return errorKinds[this.code].status;
  }
}

/**
 * Codes of the system, of SQLite and of PostgreSQL for a full disk. SQLite reports `SHMSIZE` when it opens a database
 * on a full disk, because the shared-memory file of its readers can't grow.
 */
const fullDisk: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', '53100'];

/** Whether a write failed because the disk is full. Looks through masked errors. */
export function isDiskFull(error: unknown): boolean {
  if (error instanceof AppError && error.code === 'internal_error') return isDiskFull(error.cause);
  return error instanceof Error && 'code' in error && fullDisk.includes(error.code);
}

/** Whether SQLite found that a file isn't a database or that its pages are damaged. Looks through masked errors. */
export function isDamagedDatabase(error: unknown): boolean {
  if (error instanceof AppError && error.code === 'internal_error') return isDamagedDatabase(error.cause);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT');
}

/** The message of masked errors. */
export const internalFault = 'Something went wrong inside Portico. The log has the details.';

/**
 * Converts any thrown value to an `AppError`. Messages of other errors are dropped because they may contain a path, a
 * prompt or a key.
 */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError('internal_error', internalFault, {
    cause: error,
    refusal: { name: 'internalFault', values: {} },
  });
}
