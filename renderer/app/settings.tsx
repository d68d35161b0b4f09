import '../browser/no-compiling.ts';
import { DataSection } from '../features/backup/data-section.tsx';
import { SettingsPage } from '../features/settings/settings-page.tsx';
import { ShortcutEditor } from '../features/shortcuts/shortcut-editor.tsx';
import { ToolsSection } from '../features/tools/tools-section.tsx';
import { TransferSection } from '../features/transfer/transfer-section.tsx';
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
