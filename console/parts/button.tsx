import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: 'primary' | 'danger' | 'quiet' | 'link' | undefined;
  readonly small?: boolean;
  /** The button does not respond now. Unlike a disabled button, it keeps the focus. */
  readonly isBusy?: boolean;
  readonly icon?: IconName;
  readonly children: ReactNode;
}

/** A button. It does not submit its form unless its `type` says so. */
export function Button({ look, small, icon, isBusy, onClick, children, ...rest }: Props) {
  const className = ['button', look, small && 'small'].filter(Boolean).join(' ');
  return (
    <button
      type="button"
      {...rest}
      className={className}
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}
