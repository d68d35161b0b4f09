import type { AppInfo } from '#shared/contract/app/app.ts';
import { knownProviders } from '#shared/known-providers.ts';
import { type SettingsSection, settingsSections } from '../../navigation/nav.ts';
import { text as backupText } from '../../text/backup-text.ts';
import { connectionText } from '../../text/connection-text.ts';
import { text } from '../../text/settings-text.ts';
import { text as toolsText } from '../../text/tools-text.ts';
import { text as transferText } from '../../text/transfer-text.ts';
import { networkText } from '../gateways/connection/network-text.ts';
import { text as desktopText } from '../settings/desktop/desktop-text.ts';

/** The rows by which each section can be found, with the names that the section itself uses. */
const rows: Readonly<Record<SettingsSection, readonly string[]>> = {
  providers: [...knownProviders.map(({ name }) => name), text.providers.ownServers],
  gateway: [connectionText.title, text.gateway.state, text.gateway.listen, text.gateway.localTitle],
  network: [networkText.proxy, networkText.certificates, networkText.testTitle],
  chat: [text.chat.sendWith, text.chat.confirmRoute, text.chat.notifications],
  tools: [toolsText.builtIn, toolsText.servers, toolsText.permissions],
  prompts: [text.library.prompts, text.library.presets],
  caps: Object.values(text.caps.scopes).map(text.caps.inUsd),
  appearance: [text.appearance.theme, text.appearance.density],
  keyboard: [],
  data: [backupText.title, transferText.section],
  privacy: [text.privacy.keychain, desktopText.secrets.title, text.privacy.notices],
  about: [],
};

export interface SettingPlace {
  readonly section: SettingsSection;
  /** Null: the section itself. */
  readonly setting: string | null;
}

type Capabilities = AppInfo['capabilities'];

/** Rows that only some hosts have. */
const hostRows: readonly { readonly needs: keyof Capabilities; readonly place: SettingPlace }[] = [
  { needs: 'spellCheck', place: { section: 'chat', setting: text.chat.spellCheck } },
  { needs: 'tray', place: { section: 'chat', setting: text.chat.keepRunning } },
  { needs: 'quickWindow', place: { section: 'chat', setting: desktopText.quick.title } },
  { needs: 'updates', place: { section: 'about', setting: desktopText.updates.title } },
];

const everywhere: readonly SettingPlace[] = settingsSections.flatMap((section) => [
  { section, setting: null },
  ...rows[section].map((setting) => ({ section, setting })),
]);

/** The sections, the user’s own servers by name, and the rows that this host has. */
export const settingPlaces = (
  capabilities: Capabilities | undefined,
  servers: readonly string[],
): readonly SettingPlace[] => [
  ...everywhere,
  ...servers.map((setting) => ({ section: 'providers' as const, setting })),
  ...hostRows.flatMap(({ needs, place }) => (capabilities?.[needs] ? place : [])),
];
