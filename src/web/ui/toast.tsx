/** Short confirmations that need no reaction. Errors are never shown as toasts. */
import { Toast } from "@base-ui/react/toast";

const manager = Toast.createToastManager();

/** For example "Key revoked". */
export function showToast(text: string): void {
  manager.add({ title: text, timeout: 4_000 });
}

export function Toasts() {
  return (
    <Toast.Provider toastManager={manager}>
      <Toast.Portal>
        <Toast.Viewport className="fixed end-4 bottom-20 z-50 mid:bottom-4">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      data-toast
      className="floats mt-2 rounded-panel border border-line bg-surface px-4 py-3 shadow-float"
    >
      <Toast.Content>
        <Toast.Title className="font-normal" />
      </Toast.Content>
    </Toast.Root>
  ));
}
