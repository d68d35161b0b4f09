import { implement } from '@orpc/server';
import { contract } from '#shared/contract/index.ts';
import type { accountFeature } from './account/account.ts';
import type { appFeature } from './app/app.ts';
import type { Changes } from './changes.ts';
import type { chatFeature } from './chat/chat.ts';
import type { conversationsFeature } from './conversations/conversations.ts';
import type { creditsFeature } from './credits/credits.ts';
import type { gatewayFeature } from './gateway/gateway.ts';
import type { modelsFeature } from './models/models.ts';
import type { providersFeature } from './providers/providers.ts';
import type { settingsFeature } from './settings/settings.ts';
import type { toolsFeature } from './tools/tools.ts';
import type { usageFeature } from './usage/usage.ts';

export interface Features {
  readonly account: ReturnType<typeof accountFeature>;
  readonly app: ReturnType<typeof appFeature>;
  readonly changes: Changes;
  readonly chat: ReturnType<typeof chatFeature>;
  readonly conversations: ReturnType<typeof conversationsFeature>;
  readonly credits: ReturnType<typeof creditsFeature>;
  readonly gateway: ReturnType<typeof gatewayFeature>;
  readonly models: ReturnType<typeof modelsFeature>;
  readonly providers: ReturnType<typeof providersFeature>;
  readonly settings: ReturnType<typeof settingsFeature>;
  readonly tools: ReturnType<typeof toolsFeature>;
  readonly usage: ReturnType<typeof usageFeature>;
}

/** The contract, answered by the features. A method without a handler does not compile. */
export function coreRouter(features: Features) {
  const { account, app, changes, chat, conversations, credits, gateway, models, providers, settings, tools, usage } =
    features;
  const os = implement(contract);
  return os.router({
    account: {
      wallets: os.account.wallets.handler(() => account.wallets()),
      get: os.account.get.handler(({ input }) => account.get(input)),
    },
    app: {
      info: os.app.info.handler(() => app.info()),
      openLink: os.app.openLink.handler(({ input }) => app.openLink(input)),
    },
    changes: {
      watch: os.changes.watch.handler(({ signal }) => changes.watch(signal)),
    },
    chat: {
      send: os.chat.send.handler(({ input }) => chat.send(input)),
      regenerate: os.chat.regenerate.handler(({ input }) => chat.regenerate(input)),
      stop: os.chat.stop.handler(({ input }) => chat.stop(input)),
      watch: os.chat.watch.handler(({ input, signal }) => chat.watch(input, signal)),
    },
    conversations: {
      list: os.conversations.list.handler(({ input }) => conversations.list(input)),
      get: os.conversations.get.handler(({ input }) => conversations.get(input)),
      rename: os.conversations.rename.handler(({ input }) => conversations.rename(input)),
      remove: os.conversations.remove.handler(({ input }) => conversations.remove(input)),
    },
    credits: {
      get: os.credits.get.handler(({ input }) => credits.get(input)),
    },
    gateway: {
      get: os.gateway.get.handler(() => gateway.get()),
      connect: os.gateway.connect.handler(({ input }) => gateway.connect(input)),
      disconnect: os.gateway.disconnect.handler(() => gateway.disconnect()),
      listen: os.gateway.listen.handler(({ input }) => gateway.listen(input)),
    },
    models: {
      list: os.models.list.handler(() => models.list()),
    },
    providers: {
      list: os.providers.list.handler(() => providers.list()),
      setKey: os.providers.setKey.handler(({ input }) => providers.setKey(input)),
      check: os.providers.check.handler(({ input }) => providers.check(input)),
      removeKey: os.providers.removeKey.handler(({ input }) => providers.removeKey(input)),
    },
    settings: {
      get: os.settings.get.handler(() => settings.get()),
      update: os.settings.update.handler(({ input }) => settings.update(input)),
    },
    tools: {
      list: os.tools.list.handler(() => tools.list()),
      addServer: os.tools.addServer.handler(({ input }) => tools.addServer(input)),
      changeServer: os.tools.changeServer.handler(({ input }) => tools.changeServer(input)),
      removeServer: os.tools.removeServer.handler(({ input }) => tools.removeServer(input)),
      testServer: os.tools.testServer.handler(({ input }) => tools.testServer(input)),
      enableServer: os.tools.enableServer.handler(({ input }) => tools.enableServer(input)),
      enableBuiltIn: os.tools.enableBuiltIn.handler(({ input }) => tools.enableBuiltIn(input)),
      importServers: os.tools.importServers.handler(({ input }) => tools.importServers(input)),
      forget: os.tools.forget.handler(({ input }) => tools.forget(input)),
    },
    usage: {
      get: os.usage.get.handler(({ input }) => usage.get(input)),
    },
  });
}

export type CoreRouter = ReturnType<typeof coreRouter>;
