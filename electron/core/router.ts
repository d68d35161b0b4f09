import { implement } from '@orpc/server';
import { contract } from '#shared/contract/index.ts';
import type { accountFeature } from './account/account.ts';
import type { appFeature } from './app/app.ts';
import type { attachmentsFeature } from './attachments/attachments.ts';
import type { backupFeature } from './backup/backup.ts';
import type { billsFeature } from './bills/bills.ts';
import type { capsFeature } from './caps/caps.ts';
import type { Changes } from './changes.ts';
import type { chatFeature } from './chat/chat.ts';
import type { contextFeature } from './chat/compact.ts';
import type { previewRoute } from './chat/preview-route.ts';
import type { conversationsFeature } from './conversations/conversations.ts';
import type { messagesFeature } from './conversations/messages.ts';
import type { threadViewFeature } from './conversations/thread-view.ts';
import type { creditsFeature } from './credits/credits.ts';
import type { draftsFeature } from './drafts/drafts.ts';
import type { gatewayFeature } from './gateway/gateway.ts';
import type { localKeysFeature } from './gateway/local-keys.ts';
import type { imagesFeature } from './images/images.ts';
import type { modelsFeature } from './models/models.ts';
import type { optionsFeature } from './options/options.ts';
import type { organiseFeature } from './organise/organise.ts';
import type { presetsFeature } from './presets/presets.ts';
import type { promptsFeature } from './prompts/prompts.ts';
import type { providersFeature } from './providers/providers.ts';
import type { queueFeature } from './queue/queue.ts';
import type { comparisonQuotes } from './quotes/comparison-quotes.ts';
import type { quotesFeature } from './quotes/quotes.ts';
import type { searchFeature } from './search/search.ts';
import type { settingsFeature } from './settings/settings.ts';
import type { toolsFeature } from './tools/tools.ts';
import type { transferFeature } from './transfer/transfer.ts';
import type { usageFeature } from './usage/usage.ts';

export interface Features {
  readonly attachments: ReturnType<typeof attachmentsFeature>;
  readonly bills: ReturnType<typeof billsFeature>;
  readonly caps: ReturnType<typeof capsFeature>;
  readonly comparisons: ReturnType<typeof chatFeature>['comparisons'] & {
    readonly quote: ReturnType<typeof comparisonQuotes>;
  };
  readonly context: ReturnType<typeof contextFeature>;
  readonly drafts: ReturnType<typeof draftsFeature>;
  readonly options: ReturnType<typeof optionsFeature>;
  readonly presets: ReturnType<typeof presetsFeature>;
  readonly prompts: ReturnType<typeof promptsFeature>;
  readonly queue: ReturnType<typeof queueFeature>;
  readonly quotes: ReturnType<typeof quotesFeature> & { readonly route: ReturnType<typeof previewRoute> };
  readonly account: ReturnType<typeof accountFeature>;
  readonly app: ReturnType<typeof appFeature>;
  readonly backup: ReturnType<typeof backupFeature>;
  readonly changes: Changes;
  readonly localKeys: ReturnType<typeof localKeysFeature>;
  readonly chat: ReturnType<typeof chatFeature>;
  readonly conversations: ReturnType<typeof conversationsFeature>;
  readonly credits: ReturnType<typeof creditsFeature>;
  readonly gateway: ReturnType<typeof gatewayFeature>;
  readonly images: ReturnType<typeof imagesFeature>;
  readonly messages: ReturnType<typeof messagesFeature> & ReturnType<typeof threadViewFeature>;
  readonly models: ReturnType<typeof modelsFeature>;
  readonly organise: ReturnType<typeof organiseFeature>;
  readonly providers: ReturnType<typeof providersFeature>;
  readonly search: ReturnType<typeof searchFeature>;
  readonly settings: ReturnType<typeof settingsFeature>;
  readonly transfer: ReturnType<typeof transferFeature>;
  readonly tools: ReturnType<typeof toolsFeature>;
  readonly usage: ReturnType<typeof usageFeature>;
}

/** The contract, answered by the features. A method without a handler does not compile. */
export function coreRouter(features: Features) {
  const { attachments, bills, caps, comparisons, context, drafts, messages, options, presets, prompts, queue, quotes } =
    features;
  const { account, app, changes, chat, conversations, credits, gateway, models, providers, settings, usage } = features;
  const { backup, images, localKeys, organise, search, tools, transfer } = features;
  const os = implement(contract);
  return os.router({
    attachments: {
      upload: os.attachments.upload.handler(({ input }) => attachments.upload(input)),
      read: os.attachments.read.handler(({ input }) => attachments.read(input)),
    },
    images: {
      fetch: os.images.fetch.handler(({ input, signal }) => images.fetch(input, signal)),
    },
    bills: {
      total: os.bills.total.handler(({ input }) => bills.total(input)),
    },
    caps: {
      get: os.caps.get.handler(() => caps.get()),
      set: os.caps.set.handler(({ input }) => caps.set(input)),
    },
    comparisons: {
      begin: os.comparisons.begin.handler(({ input }) => comparisons.begin(input)),
      choose: os.comparisons.choose.handler(({ input }) => comparisons.choose(input)),
      open: os.comparisons.open.handler(({ input }) => comparisons.open(input)),
      quote: os.comparisons.quote.handler(({ input, signal }) => comparisons.quote(input, signal)),
    },
    context: {
      summary: os.context.summary.handler(({ input }) => context.summary(input)),
      quoteCompact: os.context.quoteCompact.handler(({ input }) => context.quoteCompact(input)),
      compact: os.context.compact.handler(({ input, signal }) => context.compact(input, signal)),
      removeSummary: os.context.removeSummary.handler(({ input }) => context.removeSummary(input)),
    },
    drafts: {
      get: os.drafts.get.handler(({ input }) => drafts.get(input)),
      put: os.drafts.put.handler(({ input }) => drafts.put(input)),
    },
    options: {
      get: os.options.get.handler(({ input }) => options.get(input)),
      set: os.options.set.handler(({ input }) => options.set(input)),
    },
    presets: {
      list: os.presets.list.handler(() => presets.list()),
      save: os.presets.save.handler(({ input }) => presets.save(input)),
      remove: os.presets.remove.handler(({ input }) => presets.remove(input)),
      export: os.presets.export.handler(() => presets.export()),
      import: os.presets.import.handler(({ input }) => presets.import(input)),
    },
    prompts: {
      list: os.prompts.list.handler(() => prompts.list()),
      save: os.prompts.save.handler(({ input }) => prompts.save(input)),
      remove: os.prompts.remove.handler(({ input }) => prompts.remove(input)),
      export: os.prompts.export.handler(() => prompts.export()),
      import: os.prompts.import.handler(({ input }) => prompts.import(input)),
    },
    queue: {
      list: os.queue.list.handler(({ input }) => queue.list(input)),
      add: os.queue.add.handler(({ input }) => queue.add(input)),
      change: os.queue.change.handler(({ input }) => queue.change(input)),
      remove: os.queue.remove.handler(({ input }) => queue.remove(input)),
      resume: os.queue.resume.handler(({ input }) => queue.resume(input)),
    },
    quotes: {
      get: os.quotes.get.handler(({ input, signal }) => quotes.get(input, signal)),
      route: os.quotes.route.handler(({ input, signal }) => quotes.route(input, signal)),
    },
    account: {
      wallets: os.account.wallets.handler(() => account.wallets()),
      get: os.account.get.handler(({ input }) => account.get(input)),
    },
    localKeys: {
      list: os.localKeys.list.handler(() => localKeys.list()),
      create: os.localKeys.create.handler(({ input }) => localKeys.create(input)),
      revoke: os.localKeys.revoke.handler(({ input }) => localKeys.revoke(input)),
    },
    app: {
      info: os.app.info.handler(() => app.info()),
      openLink: os.app.openLink.handler(({ input }) => app.openLink(input)),
    },
    backup: {
      list: os.backup.list.handler(() => backup.list()),
      make: os.backup.make.handler(() => backup.make()),
      restore: os.backup.restore.handler(({ input }) => backup.restore(input)),
      remove: os.backup.remove.handler(({ input }) => backup.remove(input)),
    },
    changes: {
      watch: os.changes.watch.handler(({ signal }) => changes.watch(signal)),
    },
    chat: {
      send: os.chat.send.handler(({ input }) => chat.send(input)),
      answer: os.chat.answer.handler(({ input }) => chat.answer(input)),
      continue: os.chat.continue.handler(({ input }) => chat.continue(input)),
      routing: os.chat.routing.handler(({ input, signal }) => chat.routing(input, signal)),
      regenerate: os.chat.regenerate.handler(({ input }) => chat.regenerate(input)),
      decideTool: os.chat.decideTool.handler(({ input }) => chat.decideTool(input)),
      stop: os.chat.stop.handler(({ input }) => chat.stop(input)),
      watch: os.chat.watch.handler(({ input, signal }) => chat.watch(input, signal)),
    },
    conversations: {
      list: os.conversations.list.handler(({ input }) => conversations.list(input)),
      get: os.conversations.get.handler(({ input }) => conversations.get(input)),
      around: os.conversations.around.handler(({ input }) => conversations.around(input)),
      keepPlace: os.conversations.keepPlace.handler(({ input }) => conversations.keepPlace(input)),
      opened: os.conversations.opened.handler(({ input }) => conversations.opened(input)),
      lastOpened: os.conversations.lastOpened.handler(() => conversations.lastOpened()),
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
    messages: {
      show: os.messages.show.handler(({ input }) => messages.show(input)),
      remove: os.messages.remove.handler(({ input }) => messages.remove(input)),
      restore: os.messages.restore.handler(({ input }) => messages.restore(input)),
      view: os.messages.view.handler(({ input }) => messages.view(input)),
      keepEdit: os.messages.keepEdit.handler(({ input }) => messages.keepEdit(input)),
      keepFolds: os.messages.keepFolds.handler(({ input }) => messages.keepFolds(input)),
    },
    models: {
      list: os.models.list.handler(() => models.list()),
    },
    organise: {
      overview: os.organise.overview.handler(() => organise.overview()),
      createFolder: os.organise.createFolder.handler(({ input }) => organise.createFolder(input)),
      renameFolder: os.organise.renameFolder.handler(({ input }) => organise.renameFolder(input)),
      removeFolder: os.organise.removeFolder.handler(({ input }) => organise.removeFolder(input)),
      change: os.organise.change.handler(({ input }) => organise.change(input)),
      putBack: os.organise.putBack.handler(({ input }) => organise.putBack(input)),
      emptyTrash: os.organise.emptyTrash.handler(({ input }) => organise.emptyTrash(input)),
    },
    providers: {
      list: os.providers.list.handler(() => providers.list()),
      setKey: os.providers.setKey.handler(({ input }) => providers.setKey(input)),
      check: os.providers.check.handler(({ input }) => providers.check(input)),
      removeKey: os.providers.removeKey.handler(({ input }) => providers.removeKey(input)),
      addKey: os.providers.addKey.handler(({ input }) => providers.addKey(input)),
      orderKeys: os.providers.orderKeys.handler(({ input }) => providers.orderKeys(input)),
      saveServer: os.providers.saveServer.handler(({ input }) => providers.saveServer(input)),
      discover: os.providers.discover.handler(() => providers.discover()),
    },
    search: {
      find: os.search.find.handler(({ input, signal }) => search.find(input, signal)),
      inConversation: os.search.inConversation.handler(({ input, signal }) => search.inConversation(input, signal)),
    },
    settings: {
      get: os.settings.get.handler(() => settings.get()),
      update: os.settings.update.handler(({ input }) => settings.update(input)),
    },
    transfer: {
      export: os.transfer.export.handler(({ input, signal }) => transfer.export(input, signal)),
      save: os.transfer.save.handler(({ input, signal }) => transfer.save(input, signal)),
      preparePrint: os.transfer.preparePrint.handler(({ input, signal }) => transfer.preparePrint(input, signal)),
      beginImport: os.transfer.beginImport.handler(() => transfer.beginImport()),
      appendImport: os.transfer.appendImport.handler(({ input }) => transfer.appendImport(input)),
      previewImport: os.transfer.previewImport.handler(({ input }) => transfer.previewImport(input)),
      commitImport: os.transfer.commitImport.handler(({ input }) => transfer.commitImport(input)),
      giveUpImport: os.transfer.giveUpImport.handler(({ input }) => transfer.giveUpImport(input)),
    },
    tools: {
      list: os.tools.list.handler(() => tools.list()),
      addServer: os.tools.addServer.handler(({ input }) => tools.addServer(input)),
      changeServer: os.tools.changeServer.handler(({ input }) => tools.changeServer(input)),
      removeServer: os.tools.removeServer.handler(({ input }) => tools.removeServer(input)),
      testServer: os.tools.testServer.handler(({ input, signal }) => tools.testServer(input, signal)),
      enableServer: os.tools.enableServer.handler(({ input }) => tools.enableServer(input)),
      disallowServer: os.tools.disallowServer.handler(({ input }) => tools.disallowServer(input)),
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
