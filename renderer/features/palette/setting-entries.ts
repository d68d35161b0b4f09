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

type Capabilities = AppInfo['capabilities'];

/** A row, or one that only hosts with a capability have. */
type Row = string | { readonly needs: keyof Capabilities; readonly name: string };

/** The rows by which each section can be found, with the names that the section itself uses. */
const rows: Readonly<Record<SettingsSection, readonly Row[]>> = {
  providers: [...knownProviders.map(({ name }) => name), text.providers.ownServers],
  gateway: [connectionText.title, text.gateway.state, text.gateway.listen, text.gateway.localTitle],
  network: [networkText.proxy, networkText.certificates, networkText.testTitle],
  chat: [
    ...[text.chat.sendWith, text.chat.confirmRoute, text.chat.notifications],
    { needs: 'spellCheck', name: text.chat.spellCheck },
    { needs: 'tray', name: text.chat.keepRunning },
    { needs: 'quickWindow', name: desktopText.quick.title },
  ],
  tools: [toolsText.builtIn, toolsText.servers, toolsText.permissions],
  prompts: [text.library.prompts, text.library.presets],
  caps: Object.values(text.caps.scopes).map(text.caps.inUsd),
  appearance: [text.appearance.theme, text.appearance.density],
  keyboard: [],
  data: [backupText.title, transferText.section],
  privacy: [text.privacy.keychain, desktopText.secrets.title, text.privacy.notices],
  about: [{ needs: 'updates', name: desktopText.updates.title }],
};

export interface SettingPlace {
  readonly section: SettingsSection;
  /** Null: the section itself. */
  readonly setting: string | null;
}

/** The sections with the rows that this host has, and the user’s own servers by name. */
export const settingPlaces = (
  capabilities: Capabilities | undefined,
  servers: readonly string[],
): readonly SettingPlace[] =>
  settingsSections.flatMap((section) => {
    const own = rows[section].flatMap((row) =>
      typeof row === 'string' ? row : capabilities?.[row.needs] ? row.name : [],
    );
    const names = section === 'providers' ? [...own, ...servers] : own;
    return [null, ...names].map((setting) => ({ section, setting }));
  });
