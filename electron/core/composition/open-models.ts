import { join } from 'node:path';
import { findLocalServers } from '#gateway/providers/local-servers.ts';
import { boundedFetch } from '../app/network/bounded-fetch.ts';
import { readCaps } from '../billing/caps/caps-feature.ts';
import { noteReplacedLedger } from '../billing/costs/cost-lookup.ts';
import { finishRestore, ledgerFolder } from '../billing/ledger/ledger-files.ts';
import { explainLedgerFailure, recoverLedger } from '../billing/ledger/recover-ledger.ts';
import { embeddedAccounts } from '../gateways/gateway/embedded-accounts.ts';
import { localListener } from '../gateways/gateway/local-listener.ts';
import { openConnections } from '../gateways/gateway/open-connections.ts';
import { programLimits } from '../gateways/gateway/program-limits.ts';
import { gatewayAccounts } from '../gateways/gateway/remote-accounts.ts';
import { waitAsAsked } from '../gateways/gateway/wait-as-asked.ts';
import { waitingGateway } from '../gateways/gateway/waiting-gateway.ts';
import { modelsFeature } from '../gateways/models/models-feature.ts';
import { environmentKeys, getProviders } from '../gateways/providers/environment-keys.ts';
import { providersFeature } from '../gateways/providers/providers-feature.ts';
import { gatewayLog } from '../runtime/log/log.ts';
import type { CoreContext } from '../storage/core-context.ts';
import { openKeychain } from '../storage/secrets/keychain.ts';
import { openSecretBox } from '../storage/secrets/secret-box.ts';
import { keychainName } from '../storage/secrets/secret-service.ts';
import type { ConnectedOptions } from './open-context.ts';

const keychainLimitMs = 5000;
const retryEveryMs = 2000;
/** How long running requests of other programs may take before they are ended. */
export const drainMs = 5000;

/** Opens the access to models: keychain, built-in and remote gateways, providers and the catalogue. */
export async function openModels(options: ConnectedOptions, context: CoreContext) {
  const { env, platform, sandboxPace, fetch: send, download } = options;
  const { dataFolder, log, changes, settings, now, elapsed, newId } = context;
  const keychain = openKeychain({
    open: options.openSecrets,
    backend: keychainName(platform),
    limitMs: keychainLimitMs,
    log,
    stateChanged: () => changes.emit('app'),
    recovered: () => void providers.load(),
  });
  const secrets = await openSecretBox(keychain, await settings.writeOnce('profile', newId()), options.session);

  const gatewayDatabase = join(dataFolder, 'gateway.db');
  const noteReplaced = () => noteReplacedLedger(settings, now());
  const recovered = options.recovery ? await recoverLedger(dataFolder, options.recovery, now()) : null;
  if (recovered) {
    log({ event: 'ledger_recovered', ...recovered });
    await noteReplaced();
  }
  const open = async () => {
    try {
      await finishRestore(ledgerFolder(dataFolder), gatewayDatabase, { now, note: noteReplaced });
      return await options.openGateway({
        database: gatewayDatabase,
        sandboxPace,
        showsProviderMessages: true,
        now,
        fetch: send,
        download,
        env: {},
        log: gatewayLog(log),
      });
    } catch (error) {
      throw await explainLedgerFailure(dataFolder, error);
    }
  };
  const waiting = await waitingGateway({ open, log, everyMs: retryEveryMs, drainMs });
  const { gateway } = waiting;
  const listener = localListener({ ...context, gateway, listen: options.listen });
  const ownKey = (provider: string) => providers.ownKey(provider);
  const accounts = gatewayAccounts({
    ...context,
    secrets,
    fetch: waitAsAsked(boundedFetch(send), elapsed),
    ownKey,
  });
  await accounts.load();

  const providers = providersFeature({
    ...context,
    gateway,
    findServers: () => findLocalServers({ fetch: boundedFetch(send) }),
    secrets,
    known: getProviders(env),
    environment: environmentKeys(env),
  });
  const { hasProvider } = providers;
  const limits = programLimits({ ...context, gateway, caps: () => readCaps(settings) });
  const embedded = embeddedAccounts({ ...context, gateway, programLimits: limits, secrets });
  const connections = openConnections({ accounts, embedded: embedded.open, hasProvider, ownKey });
  const source = () => accounts.active()?.source ?? 'embedded';
  const models = modelsFeature({ ...context, connections, source });
  await models.load();
  const { modelFacts } = models;
  return {
    keychain,
    secrets,
    waiting,
    gateway,
    gatewayDatabase,
    getIds: embedded.getIds,
    noteReplaced,
    /** Runs this while the built-in gateway has closed its ledger. The ledger may be a different one afterwards. */
    async whileClosed(work: () => Promise<void>): Promise<void> {
      // This happens in the same step as the closing. An account opened between the two would belong to the old ledger.
      embedded.forget();
      return waiting.reopen(work);
    },
    programLimits: limits,
    listener,
    accounts,
    providers,
    connections,
    models,
    modelFacts,
    providerName: providers.getName,
  };
}

export type Models = Awaited<ReturnType<typeof openModels>>;
