import type { Gateway } from '#gateway/gateway.ts';
import { errorEnvelope } from '#gateway/http/error-response.ts';
import type { Operator } from '#gateway/operations/operator/operator.ts';
import type { ProviderCredential } from '#gateway/providers/provider.ts';
import { AppError, getProblemText, type ProblemText, toAppError } from '#shared/errors.ts';
import { refusal } from '#shared/language/refusals.ts';
import { failureEntry, type Log } from '../../runtime/log/log.ts';
import { coreFailure } from '../../storage/database/core-failure.ts';

export interface WaitingGatewayDeps {
  /** Throws `database_in_use` while another server has the file. */
  readonly open: () => Promise<Gateway>;
  readonly log: Log;
  /** Milliseconds between two attempts to open it. */
  readonly everyMs: number;
  /** How long running requests may take before they are ended for a reopen. */
  readonly drainMs: number;
}

export interface WaitingGateway {
  /** Refuses every request with the reason until the gateway is open. */
  readonly gateway: Gateway;
  /** Returns the reason as a text for users. Null if the gateway is open. */
  problem(): ProblemText | null;
  /** Resolves when the gateway has opened later. Null if it opened at once. */
  readonly openedLater: Promise<void> | null;
  /**
   * Closes the gateway, runs the work on its files, and opens it again even if the work fails. Requests wait meanwhile.
   * Throws the error of the work, or the reason why the gateway can't be opened.
   */
  reopen(work: () => Promise<void>): Promise<void>;
}

/**
 * Opens the built-in gateway, even while another server uses its database (docs/decisions/034-one-server-a-file.md):
 * then it opens as soon as that server ends. Other errors are thrown at the start.
 */
export async function waitingGateway({ open, log, everyMs, drainMs }: WaitingGatewayDeps): Promise<WaitingGateway> {
  const credentials = new Map<string, ProviderCredential | null>();
  const later = Promise.withResolvers<void>();
  let opened: Gateway | null = null;
  let problem: AppError | null = null;
  let closed = false;
  let opening: Promise<Gateway> | null = null;

  async function tryOpen(): Promise<Gateway> {
    try {
      const gateway = await open();
      for (const [id, credential] of credentials) gateway.setProvider(id, credential);
      opened = gateway;
      if (problem) later.resolve();
      return gateway;
    } catch (error) {
      problem = forPeople(coreFailure(error));
      throw problem;
    } finally {
      opening = null;
    }
  }

  async function whenOpen(): Promise<Gateway> {
    if (opened) return opened;
    if (closed) throw refusal('shutting_down', 'closing');
    opening ??= tryOpen();
    return opening;
  }

  async function closeGateway(gateway: Gateway): Promise<void> {
    await gateway.drain(drainMs);
    await gateway.close();
  }

  const operator: Operator = {
    createAccount: async (account) => (await whenOpen()).operator.createAccount(account),
    listAccounts: async () => (await whenOpen()).operator.listAccounts(),
    setAccountStatus: async (id, status) => (await whenOpen()).operator.setAccountStatus(id, status),
    limitAccount: async (id, limits) => (await whenOpen()).operator.limitAccount(id, limits),
    accountLimits: async (id) => (await whenOpen()).operator.accountLimits(id),
    grant: async (grant) => (await whenOpen()).operator.grant(grant),
    createKey: async (key) => (await whenOpen()).operator.createKey(key),
    listKeys: async (accountId) => (await whenOpen()).operator.listKeys(accountId),
    revokeKey: async (keyId) => (await whenOpen()).operator.revokeKey(keyId),
  };

  const gateway: Gateway = {
    operator,
    async fetch(request, door) {
      const ready = await whenOpen().catch(toAppError);
      return ready instanceof AppError ? refused(ready) : ready.fetch(request, door);
    },
    setProvider(id, credential) {
      credentials.set(id, credential);
      opened?.setProvider(id, credential);
    },
    refreshModels: async (id) => (await whenOpen()).refreshModels(id),
    keyStates: (id) => opened?.keyStates(id) ?? [],
    checkProvider: async (...given) => (await whenOpen()).checkProvider(...given),
    drain: async (timeoutMs) => opened?.drain(timeoutMs),
    async close() {
      closed = true;
      clearInterval(timer);
      await opening?.catch(() => {});
      await opened?.close();
    },
  };

  await whenOpen().catch((error: unknown) => {
    if (toAppError(error).code !== 'database_in_use') throw error;
    log({ event: 'gateway_not_started', ...failureEntry(error) });
  });
  const timer = opened ? undefined : setInterval(tryAgain, everyMs);
  timer?.unref();
  function tryAgain(): void {
    whenOpen().then(
      () => clearInterval(timer),
      // Every request reports the reason anyway.
      () => {},
    );
  }

  return {
    gateway,
    problem: () => (opened || !problem ? null : getProblemText(problem)),
    openedLater: opened ? null : later.promise,
    async reopen(work) {
      const before = await whenOpen();
      opened = null;
      const worked = closeGateway(before).then(work);
      opening = worked.then(tryOpen, tryOpen);
      const open = opening;
      try {
        await worked;
      } finally {
        await open;
      }
    },
  };
}

/** The request did not reach the gateway, so it has no id. */
const refused = (error: AppError) =>
  Response.json(errorEnvelope(error, null), { status: error.status, headers: { 'retry-after': '2' } });

/** Replaces advice about the command line by a text for users of the app. */
function forPeople(error: AppError): AppError {
  if (error.code !== 'database_in_use') return error;
  const holder = error.details?.holder;
  return refusal(
    'database_in_use',
    'gatewayInUse',
    { holder: typeof holder === 'string' ? holder : null },
    { cause: error },
  );
}
