import { Component, type ReactNode } from 'react';
import { Failure } from './notices.tsx';

/** Shows a failure in the place of a part that cannot be shown. Without it, React leaves a blank page. */
export class ErrorBoundary extends Component<
  { readonly children: ReactNode },
  { readonly error: unknown }
> {
  override state: { readonly error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return <Failure error={error} onRetry={() => location.reload()} />;
  }
}
