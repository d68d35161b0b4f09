import '../browser/no-compiling.ts';
import { ToolsSection } from '../features/gateways/tools/tools-section.tsx';
import { TransferSection } from '../features/library/transfer/transfer-section.tsx';
import { DataSection } from '../features/settings/backup/data-section.tsx';
import { SettingsPage } from '../features/settings/settings-page.tsx';
import { ShortcutEditor } from '../features/settings/shortcuts/shortcut-editor.tsx';
import type { SettingsSection } from '../navigation/nav.ts';

/** The settings, with the sections that features bring. */
export function Settings({ section, setting }: { section: SettingsSection | null; setting?: string | undefined }) {
  return (
    <SettingsPage
      section={section}
      setting={setting}
      shortcuts={<ShortcutEditor />}
      tools={<ToolsSection />}
      data={
        <>
          <DataSection />
          <TransferSection />
        </>
      }
    />
  );
}
