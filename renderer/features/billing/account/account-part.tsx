import type { ReactNode } from 'react';

export const AccountPart = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="mt-4 mb-8">
    <h2 className="mb-1 font-semibold text-md">{title}</h2>
    {children}
  </section>
);
