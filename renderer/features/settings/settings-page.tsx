import { ChevronRight } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useNarrow } from '../../browser/use-media.ts';
import { type SettingsSection, settingsSections } from '../../navigation/nav.ts';
import { PageHeader } from '../../page/page-header.tsx';
import { ViewBoundary } from '../../page/view-boundary.tsx';
import { text } from '../../text/settings-text.ts';
import { Link } from '../../ui/elements/link.tsx';
import { SectionTitle } from '../../ui/forms/setting-row.tsx';
import { CapsSection } from '../billing/caps/caps-section.tsx';
import { GatewaySection } from '../gateways/connection/gateway-section.tsx';
import { NetworkSection } from '../gateways/connection/network-section.tsx';
import { ProvidersSection } from '../gateways/providers/providers-section.tsx';
import { LibrarySection } from '../prompts/library-section.tsx';
import { goToSetting } from './go-to-setting.ts';
import { AboutSection, AppearanceSection, ChatSection, PrivacySection } from './plain-sections.tsx';

interface SettingsPageProps {
  section: SettingsSection | null;
  /** The row to go to. */
  setting?: string | undefined;
  /** The shortcuts, rendered by the shell. */
  shortcuts: ReactNode;
  /** Built-in tools, tool servers and permissions. */
  tools: ReactNode;
  /** Export, import and backups. */
  data: ReactNode;
}

/** Sections and the chosen one; in a narrow window one after the other. */
export function SettingsPage({ section, setting, shortcuts, tools, data }: SettingsPageProps) {
  const narrow = useNarrow();
  const page = useRef<HTMLDivElement>(null);
  useEffect(() => (page.current && setting ? goToSetting(page.current, setting) : undefined), [setting]);
  const shown = section ?? (narrow ? null : 'providers');
  return (
    <>
      <PageHeader title={text.title} />
      <div className="flex min-h-0 flex-1">
        {(!narrow || shown === null) && (
          <nav aria-label={text.sectionList} className="w-52 shrink-0 overflow-y-auto px-3 py-1 max-[719px]:w-full">
            {settingsSections.map((name) => (
              <Link
                key={name}
                to={{ page: 'settings', section: name }}
                aria-current={name === shown ? 'page' : undefined}
                className="flex h-row items-center rounded-control px-2 text-fg-2 hover:bg-hover hover:text-fg aria-[current=page]:bg-active aria-[current=page]:font-medium aria-[current=page]:text-fg"
              >
                <span className="flex-1">{text.sections[name]}</span>
                {narrow && <ChevronRight size={14} aria-hidden />}
              </Link>
            ))}
          </nav>
        )}
        {shown && (
          <div ref={page} className="min-w-0 flex-1 overflow-y-auto px-6 pb-10 max-sm:px-4">
            <div className="mx-auto max-w-[640px]">
              {narrow && (
                <Link to={{ page: 'settings', section: null }} className="inline-flex h-8 items-center text-accent">
                  {text.allSections}
                </Link>
              )}
              <ViewBoundary key={shown} name={text.sections[shown]}>
                <Section name={shown} shortcuts={shortcuts} tools={tools} data={data} />
              </ViewBoundary>
            </div>
          </div>
        )}
      </div>
    </>
  );
}

type SectionProps = Omit<SettingsPageProps, 'section' | 'setting'> & { name: SettingsSection };

function Section({ name, shortcuts, tools, data }: SectionProps) {
  switch (name) {
    case 'providers':
      return <ProvidersSection />;
    case 'gateway':
      return <GatewaySection />;
    case 'network':
      return <NetworkSection />;
    case 'chat':
      return <ChatSection />;
    case 'tools':
      return (
        <>
          <SectionTitle>{text.sections.tools}</SectionTitle>
          {tools}
        </>
      );
    case 'prompts':
      return <LibrarySection />;
    case 'caps':
      return <CapsSection />;
    case 'appearance':
      return <AppearanceSection />;
    case 'keyboard':
      return (
        <>
          <SectionTitle>{text.sections.keyboard}</SectionTitle>
          {shortcuts}
        </>
      );
    case 'data':
      return (
        <>
          <SectionTitle>{text.sections.data}</SectionTitle>
          {data}
        </>
      );
    case 'privacy':
      return <PrivacySection />;
    case 'about':
      return <AboutSection />;
  }
}
