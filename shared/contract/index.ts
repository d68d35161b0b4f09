import { apiKeysContract } from './app/api-keys.ts';
import { appContract } from './app/app.ts';
import { backupContract } from './app/backup.ts';
import { accountContract, creditsContract } from './app/billing-accounts.ts';
import { catalogueContract, whatIfContract } from './app/catalogue.ts';
import { changesContract } from './app/changes.ts';
import { fundsContract } from './app/funds.ts';
import { gatewayContract } from './app/gateway.ts';
import { gatewayAccountsContract } from './app/gateway-accounts.ts';
import { ledgerContract } from './app/ledger.ts';
import { modelsContract } from './app/models.ts';
import { networkContract } from './app/network.ts';
import { providersContract } from './app/providers.ts';
import { quickWindowContract } from './app/quick-window.ts';
import { reconciliationContract } from './app/reconciliation.ts';
import { settingsContract } from './app/settings.ts';
import { toolsContract } from './app/tools.ts';
import { updatesContract } from './app/updates.ts';
import { usageContract } from './app/usage.ts';
import { verificationContract } from './app/verification.ts';
import { capsContract } from './chat/caps.ts';
import { chatContract } from './chat/chat.ts';
import { comparisonsContract } from './chat/comparisons.ts';
import { contextContract } from './chat/context.ts';
import { conversationsContract } from './chat/conversations.ts';
import { draftsContract } from './chat/drafts.ts';
import { imagesContract } from './chat/images.ts';
import { messagesContract } from './chat/messages.ts';
import { optionsContract } from './chat/options.ts';
import { organiseContract } from './chat/organise.ts';
import { presetsContract } from './chat/presets.ts';
import { promptsContract } from './chat/prompts.ts';
import { queueContract } from './chat/queue.ts';
import { quotesContract } from './chat/quotes.ts';
import { searchContract } from './chat/search.ts';
import { transferContract } from './chat/transfer.ts';
import { attachmentsContract } from './common/attachments.ts';

/** Everything that a renderer may ask of the core. Every addition needs a security review. */
export const contract = {
  account: accountContract,
  apiKeys: apiKeysContract,
  app: appContract,
  attachments: attachmentsContract,
  caps: capsContract,
  backup: backupContract,
  catalogue: catalogueContract,
  changes: changesContract,
  chat: chatContract,
  comparisons: comparisonsContract,
  context: contextContract,
  conversations: conversationsContract,
  credits: creditsContract,
  drafts: draftsContract,
  funds: fundsContract,
  gateway: gatewayContract,
  gatewayAccounts: gatewayAccountsContract,
  images: imagesContract,
  ledger: ledgerContract,
  messages: messagesContract,
  models: modelsContract,
  network: networkContract,
  options: optionsContract,
  presets: presetsContract,
  prompts: promptsContract,
  providers: providersContract,
  queue: queueContract,
  quickWindow: quickWindowContract,
  quotes: quotesContract,
  reconciliation: reconciliationContract,
  organise: organiseContract,
  search: searchContract,
  settings: settingsContract,
  tools: toolsContract,
  transfer: transferContract,
  updates: updatesContract,
  usage: usageContract,
  verification: verificationContract,
  whatIf: whatIfContract,
};

export type Contract = typeof contract;
