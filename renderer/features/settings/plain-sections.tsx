import type { ReactNode } from 'react';
import type { Settings } from '#shared/contract/app/settings.ts';
import { useAppInfo, useSettings, useUpdateSettings } from '../../api/use-core.ts';
import { getSentence } from '../../text/error-text.ts';
import { text } from '../../text/settings-text.ts';
import { Badge } from '../../ui/elements/badge.tsx';
import { Facts } from '../../ui/elements/facts.tsx';
import { Segmented } from '../../ui/forms/segmented.tsx';
import { SettingRow, SettingsHeading } from '../../ui/forms/setting-row.tsx';
import { Switch } from '../../ui/forms/switch.tsx';
import { Failure } from '../../ui/notices/failure.tsx';
import { KeychainNotice } from '../../ui/notices/keychain-notice.tsx';
import { SkeletonRows } from '../../ui/notices/skeleton.tsx';
import { useNotify } from '../../ui/notices/use-notify.ts';
import { QuickSetting } from './desktop/quick-setting.tsx';
import { SecretsTestRow } from './desktop/secrets-test.tsx';
import { UpdatesSection } from './desktop/updates-section.tsx';
import { NoticeSetting } from './notice-setting.tsx';

const options = <Value extends string>(names: Record<Value, string>) =>
  (Object.entries(names) as [Value, string][]).map(([value, label]) => ({ value, label }));

/** Passes settings to a section and saves each change at once. */
function WithSettings({
  children,
}: {
  children: (settings: Settings, save: (change: Partial<Settings>) => void) => ReactNode;
}) {
  const settings = useSettings();
  const update = useUpdateSettings();
  const { failed } = useNotify();
  if (settings.isError && !settings.data)
    return <Failure title={text.failed} error={settings.error} onRetry={() => void settings.refetch()} />;
  if (!settings.data) return <SkeletonRows rows={3} label={text.loading} />;
  return (
    <>
      {children(settings.data, (change) =>
        update.mutate(change, { onError: (error) => failed(text.saveFailed, error) }),
      )}
      <p role="status" className="h-8 pt-2 text-fg-3 text-xs">
        {update.isSuccess && text.saved}
      </p>
    </>
  );
}

export function AppearanceSection() {
  const { appearance } = text;
  return (
    <WithSettings>
      {(settings, save) => (
        <>
          <SettingRow name={appearance.theme}>
            <Segmented
              label={appearance.theme}
              value={settings.theme}
              options={options(appearance.themes)}
              onChange={(theme) => save({ theme })}
            />
          </SettingRow>
          <SettingRow name={appearance.density}>
            <Segmented
              label={appearance.density}
              value={settings.density}
              options={options(appearance.densities)}
              onChange={(density) => save({ density })}
            />
          </SettingRow>
        </>
      )}
    </WithSettings>
  );
}

export function ChatSection() {
  const { chat } = text;
  const capabilities = useAppInfo().data?.capabilities;
  return (
    <WithSettings>
      {(settings, save) => (
        <>
          <SettingRow name={chat.sendWith} note={chat.sendWithNote}>
            <Segmented
              label={chat.sendWith}
              value={settings.sendWith}
              options={options(chat.ways)}
              onChange={(sendWith) => save({ sendWith })}
            />
          </SettingRow>
          <SettingRow name={chat.confirmRoute} note={chat.confirmRouteNote}>
            <Switch
              label={chat.confirmRoute}
              checked={settings.confirmRoute}
              onChange={(confirmRoute) => save({ confirmRoute })}
            />
          </SettingRow>
          {capabilities?.spellCheck && (
            <SettingRow name={chat.spellCheck} note={chat.spellCheckNote}>
              <Switch
                label={chat.spellCheck}
                checked={settings.spellCheck}
                onChange={(spellCheck) => save({ spellCheck })}
              />
            </SettingRow>
          )}
          <NoticeSetting
            value={settings.notifications}
            onChange={(notifications) => save({ notifications })}
            byPage={capabilities?.notifications === false}
          />
          {capabilities?.tray && (
            <SettingRow name={chat.keepRunning} note={chat.keepRunningNote}>
              <Switch
                label={chat.keepRunning}
                checked={settings.keepRunning}
                onChange={(keepRunning) => save({ keepRunning })}
              />
            </SettingRow>
          )}
          {capabilities?.quickWindow && <QuickSetting />}
        </>
      )}
    </WithSettings>
  );
}

const keychainTones = { available: 'ok', unavailable: 'warn', locked: 'warn' } as const;

export function PrivacySection() {
  const info = useAppInfo();
  const { privacy } = text;
  return (
    <>
      {info.isError && !info.data && (
        <Failure title={privacy.failed} error={info.error} onRetry={() => void info.refetch()} />
      )}
      {info.isPending && <SkeletonRows rows={3} label={text.loading} />}
      {info.data && (
        <>
          <SettingRow name={privacy.keychain} note={info.data.keychain.backend ?? privacy.thisSession}>
            <Badge tone={keychainTones[info.data.keychain.state]}>{privacy.states[info.data.keychain.state]}</Badge>
          </SettingRow>
          <div className="mt-2 empty:hidden">
            <KeychainNotice keychain={info.data.keychain} />
          </div>
          <SecretsTestRow />
          <SettingsHeading className="mt-6 mb-2">{privacy.notices}</SettingsHeading>
          <ul className="list-disc pl-5 text-fg-2">
            {info.data.notices.length === 0 && <li>{privacy.noNotices}</li>}
            {info.data.notices.map((notice) => (
              <li key={notice.message}>{getSentence(notice)}</li>
            ))}
            <li>{privacy.renderer}</li>
            <li>{privacy.images}</li>
          </ul>
        </>
      )}
    </>
  );
}

export function AboutSection() {
  const info = useAppInfo();
  const { about } = text;
  return (
    <>
      {info.isError && !info.data && (
        <Failure title={text.failed} error={info.error} onRetry={() => void info.refetch()} />
      )}
      {info.isPending && <SkeletonRows rows={3} label={text.loading} />}
      {info.data && (
        <Facts
          facts={[
            [about.version, `Portico ${info.data.version}`],
            [about.platform, info.data.platform],
            [about.host, info.data.host],
            [
              about.folder,
              <code key="folder" className="font-mono text-xs">
                {info.data.dataFolder}
              </code>,
            ],
          ]}
        />
      )}
      {info.data?.capabilities.updates && (
        <WithSettings>
          {({ checkUpdates }, save) => (
            <UpdatesSection automatic={checkUpdates} onAutomatic={(next) => save({ checkUpdates: next })} />
          )}
        </WithSettings>
      )}
    </>
  );
}
