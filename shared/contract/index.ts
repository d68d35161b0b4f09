import { accountContract } from './account.ts';
import { appContract } from './app.ts';
import { changesContract } from './changes.ts';
import { chatContract } from './chat.ts';
import { conversationsContract } from './conversations.ts';
import { creditsContract } from './credits.ts';
import { gatewayContract } from './gateway.ts';
import { modelsContract } from './models.ts';
import { providersContract } from './providers.ts';
import { settingsContract } from './settings.ts';
import { toolsContract } from './tools.ts';
import { usageContract } from './usage.ts';

/** Everything a renderer may ask of the core. This list is the security review. */
export const contract = {
  account: accountContract,
  app: appContract,
  changes: changesContract,
  chat: chatContract,
  conversations: conversationsContract,
  credits: creditsContract,
  gateway: gatewayContract,
  models: modelsContract,
  providers: providersContract,
  settings: settingsContract,
  tools: toolsContract,
  usage: usageContract,
};

export type Contract = typeof contract;
