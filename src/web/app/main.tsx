/** Entry point of the console in the browser. */
import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { client, router } from "./router.tsx";
import "../styles.css";

const root = document.getElementById("root");
// Until the first screen is loaded, the page shows the outline that the server has put there. Not awaited: the scripts of
// screens import this one.
if (root !== null) void router.load().finally(() => draw(root));

function draw(place: HTMLElement): void {
  createRoot(place).render(
    <StrictMode>
      {/* Components must not add style elements: the content security policy forbids them. */}
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={client}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  );
}
