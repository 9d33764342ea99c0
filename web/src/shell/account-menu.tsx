/** Who is signed in, how it looks, and the way out. */
import { Avatar, type MantineColorScheme, Menu, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { queries, service, sessionQuery } from "../queries.ts";

const SCHEMES = [
  ["light", "Light"],
  ["dark", "Dark"],
  ["auto", "As the system has it"],
] as const;

export function AccountMenu({ email }: { email: string }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const navigate = useNavigate();
  const signOut = useMutation({
    mutationFn: () => service.auth.signOut(),
    async onSuccess() {
      sessionStorage.clear(); // addresses and previews of this tab
      queries.clear();
      queries.setQueryData(sessionQuery.queryKey, null);
      await navigate({ to: "/sign-in" });
    },
  });
  return (
    <Menu position="bottom-end" width={240} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <UnstyledButton style={{ borderRadius: "50%" }} aria-label={`Account ${email}`}>
          <Avatar size={34} color="cyan" radius="xl">
            {email.slice(0, 1).toUpperCase()}
          </Avatar>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="breaks">{email}</Menu.Label>
        <Menu.Item component={Link} to="/settings">
          Settings
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}
        >
          {SCHEMES.map(([scheme, name]) => (
            <Menu.RadioItem key={scheme} value={scheme}>
              {name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item onClick={() => signOut.mutate()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
