import { accountContract } from './account.ts';
import { appContract } from './app.ts';
import { attachmentsContract } from './attachments.ts';
import { backupContract } from './backup.ts';
import { billsContract } from './bills.ts';
import { capsContract } from './caps.ts';
import { changesContract } from './changes.ts';
import { chatContract } from './chat.ts';
import { comparisonsContract } from './comparisons.ts';
import { contextContract } from './context.ts';
import { conversationsContract } from './conversations.ts';
import { creditsContract } from './credits.ts';
import { draftsContract } from './drafts.ts';
import { gatewayContract } from './gateway.ts';
import { imagesContract } from './images.ts';
import { localKeysContract } from './local-keys.ts';
import { messagesContract } from './messages.ts';
import { modelsContract } from './models.ts';
import { optionsContract } from './options.ts';
import { organiseContract } from './organise.ts';
import { presetsContract } from './presets.ts';
import { promptsContract } from './prompts.ts';
import { providersContract } from './providers.ts';
import { queueContract } from './queue.ts';
import { quotesContract } from './quotes.ts';
import { searchContract } from './search.ts';
import { settingsContract } from './settings.ts';
import { toolsContract } from './tools.ts';
import { transferContract } from './transfer.ts';
import { usageContract } from './usage.ts';

/** Everything a renderer may ask of the core. This list is the security review. */
export const contract = {
  account: accountContract,
  app: appContract,
  attachments: attachmentsContract,
  bills: billsContract,
  caps: capsContract,
  backup: backupContract,
  changes: changesContract,
  chat: chatContract,
  comparisons: comparisonsContract,
  context: contextContract,
  conversations: conversationsContract,
  credits: creditsContract,
  drafts: draftsContract,
  gateway: gatewayContract,
  images: imagesContract,
  localKeys: localKeysContract,
  messages: messagesContract,
  models: modelsContract,
  options: optionsContract,
  presets: presetsContract,
  prompts: promptsContract,
  providers: providersContract,
  queue: queueContract,
  quotes: quotesContract,
  organise: organiseContract,
  search: searchContract,
  settings: settingsContract,
  tools: toolsContract,
  transfer: transferContract,
  usage: usageContract,
};

export type Contract = typeof contract;
