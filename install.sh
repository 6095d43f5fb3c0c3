#!/bin/sh
# From a bare machine to a running demo, a green test run or an installed service. What it does it says first, on the
# standard error; nothing is changed that it did not announce. Any POSIX shell will do.
set -eu

# The one Bun that this checkout is built and tested with; the same as "packageManager" in package.json.
BUN_VERSION=1.4.5

# The SHA-256 of that Bun for each platform, as in npm's packages @oven/bun-*. No other one is ever started.
known_buns() {
  cat <<'END'
f05d28a3862f4b84395c7fa32480b835dd47482e80b7e7a49a115227f0c06083 linux-x64
04778f1f42399a69d086853e9c7af4acf574b2f21a43d0dc673853d8b84a2923 linux-aarch64
cf5d285ddbe256785a5121a3c113191a6b577504976374c7cfd5aedca609b720 linux-x64-musl
9c48986093073afec8b76a3e285303598dd2462f52748aecb65e4d94866e1ea3 linux-aarch64-musl
88f97645b270aef20f9f9442f1658461cab3e7128e658af4615144e3396f084a darwin-x64
e2984124f1514e1e6bbda20adedbf07a02c443c6a5828853a15c7c7abf78e19f darwin-aarch64
END
}

# What verifies a release (Ed25519; its 32 bytes in base64), and where releases are. `release` writes both into the
# install.sh and the executables that it makes; empty here, because this checkout belongs to no publisher.
RELEASE_KEY=''
RELEASE_ADDRESS=''

usage() {
  cat <<'END'
Usage: ./install.sh dev [OPTIONS OF waxwing dev]   try it: a demo with a simulated network, nothing is kept
       ./install.sh test [OPTIONS OF bun test]     run the test suite
       ./install.sh test --pages                   run the tests of documentation, executable and screens
       ./install.sh build [--outfile FILE]         make the executable, dist/waxwing
       ./install.sh release [--version V] [--key FILE] [--address URL]
                                                   make a release in dist/release: executables, packages, signature
       ./install.sh audit                          ask whether what goes into it has known vulnerabilities
       sudo ./install.sh [OPTIONS]                 install it as a service, or upgrade the one that is there

Options of the service install:
  --prefix DIR    the executable goes to DIR/bin/waxwing         (default: /usr/local)
  --data DIR      where the database lives                       (default: /var/lib/waxwing)
  --no-service    install everything but the systemd service
  --release FROM  install this signed release instead of building: a folder, an archive of one, or the address of either
                  (without a checkout: the default, from the place that this script knows)
  --public-key FILE
                  the Ed25519 public key that signed it, in PEM (default: the one in this script)
  --uninstall     remove the service and the executable; configuration and data stay
  --help          this text

The configuration is /etc/waxwing/waxwing.toml; one that is there is never overwritten.
What is fetched for building lies inside the checkout, in .bun/ and node_modules/; npm and Bun also keep their caches of
packages in your home directory.

Environment: WAXWING_EXECUTABLE=FILE installs that executable instead of building one. DESTDIR=DIR lays all files under
DIR, for packagers: no user is made and no service is started then.
END
}

say() { printf '%s\n' "waxwing: $*" >&2; }
step() { printf '%s\n' "  $*" >&2; }

# fail WHAT-WENT-WRONG NEXT-STEP
fail() {
  printf '%s\n' "waxwing: $1" "  next: $2" >&2
  exit 1
}

misused() {
  printf '%s\n' "waxwing: $1" "  next: ./install.sh --help lists what there is" >&2
  exit 2
}

has() { command -v "$1" >/dev/null 2>&1; }

# --- Bun and the dependencies -----------------------------------------------------------------------------------------

# Its content is compared before it runs. It must run as well: a musl build does not on glibc.
is_pinned_bun() {
  [ -x "$1" ] && known_buns | grep -q "^$(sha256_of "$1") " &&
    [ "$("$1" --version 2>/dev/null </dev/null)" = "$BUN_VERSION" ]
}

# Without an answer nothing is known, and nothing is used.
sha256_of() {
  if has sha256sum; then
    sha256sum <"$1" | cut -d ' ' -f 1
  elif has shasum; then
    shasum -a 256 <"$1" | cut -d ' ' -f 1
  elif has openssl; then
    openssl dgst -sha256 -r <"$1" | cut -d ' ' -f 1
  else
    fail "the Bun that builds Waxwing cannot be checked: there is no sha256sum, shasum or openssl." \
      "install one of them (coreutils has sha256sum), then run this again"
  fi
}

# Sets $bun. A Bun of another version is left alone: another project may need it.
require_bun() {
  bun=$(command -v bun 2>/dev/null || :)
  if [ -n "$bun" ] && is_pinned_bun "$bun"; then return 0; fi

  bun="$root/.bun/bin/bun"
  if is_pinned_bun "$bun"; then return 0; fi
  if [ -e "$bun" ]; then say "$bun is not the Bun $BUN_VERSION that is known by its SHA-256, and is not used"; fi

  if has npm && fetch_bun_with_npm; then return 0; fi
  if has curl && has bash && has unzip && fetch_bun_with_its_installer; then return 0; fi
  fail "Bun $BUN_VERSION is not here and could not be fetched." \
    "check the network and install npm (or curl, bash and unzip), or put Bun's own build of $BUN_VERSION on the PATH; then run this again"
}

# npm picks the package of this platform. Its install script is not run (many npm set-ups forbid it): it would only move
# the file that is used here from where it is. Of several candidates (glibc, musl) the one that runs is the right one.
fetch_bun_with_npm() {
  say "fetching Bun $BUN_VERSION with npm into $root/.bun (once; about 100 MB on disk)"
  rm -rf "$root/.bun/node_modules"
  mkdir -p "$root/.bun/bin"
  if ! npm install --prefix "$root/.bun" --global=false --no-save --no-package-lock --ignore-scripts \
    --include=optional --no-audit --no-fund --no-update-notifier --loglevel=error "bun@$BUN_VERSION" </dev/null >&2; then
    say "npm could not fetch it"
    return 1
  fi
  for candidate in "$root"/.bun/node_modules/@oven/*/bin/bun; do
    if is_pinned_bun "$candidate"; then
      link_from_bin "../node_modules/@oven/${candidate#"$root/.bun/node_modules/@oven/"}"
      return 0
    fi
  done
  say "npm fetched no Bun that is known by its SHA-256 and runs on this machine"
  return 1
}

# Under the name of an unknown shell it touches no shell start-up file. It is run only when it arrived whole.
fetch_bun_with_its_installer() {
  say "fetching Bun $BUN_VERSION with its own installer into $root/.bun (once; about 100 MB on disk)"
  mkdir -p "$root/.bun"
  installer="$root/.bun/installer.$$"
  if curl -fsSL --retry 2 -o "$installer" https://bun.com/install </dev/null &&
    BUN_INSTALL="$root/.bun" SHELL=/bin/sh HOME="${HOME:-$root/.bun}" \
      bash "$installer" "bun-v$BUN_VERSION" </dev/null >&2 &&
    is_pinned_bun "$root/.bun/bin/bun"; then
    rm -f "$installer"
    return 0
  fi
  rm -f "$installer"
  say "Bun's own installer did not bring it"
  return 1
}

link_from_bin() {
  ln -sf "$1" "$root/.bun/bin/bun"
  ln -sf bun "$root/.bun/bin/bunx"
}

# require_dependencies production|full
# The first is a fifth of the second. A marker file remembers which one is installed and for which lockfile, so that a second run
# costs nothing. A node_modules that the script did not make counts as full: never take a developer's tools away.
require_dependencies() {
  kind=$1
  marker="$root/node_modules/.waxwing-dependencies"
  wanted=$(cat package.json bun.lock bunfig.toml | cksum)
  present=$(cat "$marker" 2>/dev/null || :)
  if [ "$present" = "full $wanted" ] || [ "$present" = "$kind $wanted" ]; then return 0; fi

  if [ -d node_modules ] && [ "${present%% *}" != production ]; then kind=full; fi
  if [ "$kind" = production ]; then only=--production; else only=''; fi
  # Without a home there is no place for Bun's cache of packages.
  if [ -z "${HOME:-}" ]; then export BUN_INSTALL_CACHE_DIR="$root/.bun/cache"; fi

  say "installing the locked dependencies into $root/node_modules"
  mkdir -p node_modules
  echo "$kind unfinished" >"$marker"
  "$bun" install --frozen-lockfile ${only:+"$only"} </dev/null >&2 ||
    fail "the dependencies could not be installed." \
      "check the network; after a change of package.json, run 'bun install' and commit bun.lock; then run this again"
  echo "$kind $wanted" >"$marker"
}

prepare() {
  cd "$root"
  require_bun
  # For this run only, so that scripts and tests that start "bun" get the same one.
  PATH="$(dirname -- "$bun"):$PATH"
  export PATH
  require_dependencies "$1"
}

run_dev() {
  prepare production
  exec "$bun" src/main.ts dev "$@"
}

run_test() {
  prepare full
  # Tests of what the pages say, of the executable and of the screens take as long as the rest together: a run of their own.
  apart='^test/(pages|executable|browser)/'
  case "${1:-}" in
    --pages)
      shift
      # shellcheck disable=SC2046 # no name of a test has a space
      set -- "$@" $(find test -name '*.test.ts' | grep -E "$apart")
      build=yes
      ;;
    *)
      # Named files run on the sources: nothing is built for them.
      case " $*" in
        *" test/"* | *" ./test/"* | *.test.ts*) build=no ;;
        *)
          # shellcheck disable=SC2046 # no name of a test has a space
          set -- "$@" $(find test -name '*.test.ts' | grep -Ev "$apart")
          build=yes
          ;;
      esac
      ;;
  esac
  # A run starts some hundred servers and commands, which the executable does in a third of the time.
  if [ "$build" = yes ]; then
    TEST_EXECUTABLE=${TEST_EXECUTABLE:-$("$bun" test/support/executable.ts)}
    export TEST_EXECUTABLE
  fi
  exec "$bun" test --timeout 180000 --parallel=5 --no-isolate --timings=test/timings.json "$@"
}

run_build() {
  prepare production
  say "building the executable"
  exec "$bun" scripts/build.ts "$@"
}

# Sets nothing: .bun/runtimes/NAME/bun is the Bun of that platform, from npm and known by its SHA-256.
fetch_runtime() {
  runtime="$root/.bun/runtimes/$1"
  known=$(known_buns | sed -n "s/ $1\$//p")
  if [ -f "$runtime/bun" ] && [ "$(sha256_of "$runtime/bun")" = "$known" ]; then return 0; fi
  has npm || fail "the Bun of $1 is fetched with npm, which is not here." "install npm, then run this again"
  say "fetching the Bun of $1 with npm into $runtime (once; about 100 MB on disk)"
  rm -rf "$runtime"
  mkdir -p "$runtime"
  archive=$(cd "$runtime" && npm pack --silent "@oven/bun-$1@$BUN_VERSION" </dev/null) ||
    fail "npm could not fetch the Bun of $1." "check the network, then run this again"
  tar -xzf "$runtime/$archive" -C "$runtime" package/bin/bun
  mv "$runtime/package/bin/bun" "$runtime/bun"
  rm -rf "$runtime/package" "${runtime:?}/$archive"
  if [ "$(sha256_of "$runtime/bun")" != "$known" ]; then
    rm -rf "$runtime"
    fail "npm's Bun of $1 is not the one that is known by its SHA-256, and is not used." "ask those who publish Waxwing"
  fi
}

run_release() {
  prepare production
  for platform in linux-x64 linux-aarch64 darwin-aarch64; do fetch_runtime "$platform"; done
  exec "$bun" scripts/release.ts "$@"
}

# The registry knows them by name and version. Exit code 0: none that is high or critical; 1: some; 3: unknown.
run_audit() {
  cd "$root"
  require_bun
  status=0
  answer=$("$bun" audit --production --audit-level=high </dev/null 2>&1) || status=$?
  if [ "$status" -eq 0 ]; then
    printf '%s\n' "$answer"
    return 0
  fi
  case $answer in
    *vulnerabilit*)
      printf '%s\n' "$answer"
      fail "what goes into the executable has known vulnerabilities." \
        "upgrade those packages: bun update NAME, then ./install.sh test"
      ;;
  esac
  printf '%s\n' "$answer" >&2
  say "the registry did not say what is known about the dependencies"
  step "next: check the network, or ask a registry that can: BUN_CONFIG_REGISTRY=https://registry.npmjs.org ./install.sh audit"
  exit 3
}

# --- The service ------------------------------------------------------------------------------------------------------

config=/etc/waxwing/waxwing.toml
unit=/etc/systemd/system/waxwing.service
account=waxwing

run_service() {
  prefix='' data='' with_service=yes uninstall=no release='' public_key='' is_upgrade=no way_back=no
  while [ $# -gt 0 ]; do
    case $1 in
      --prefix | --data | --release | --public-key)
        [ $# -ge 2 ] || misused "$1 needs a value after it."
        case $1 in
          --prefix) prefix=$2 ;;
          --data) data=$2 ;;
          --release) release=$2 ;;
          *) public_key=$2 ;;
        esac
        shift
        ;;
      --release=*) release=${1#*=} ;;
      --public-key=*) public_key=${1#*=} ;;
      --prefix=*) prefix=${1#*=} ;;
      --data=*) data=${1#*=} ;;
      --no-service) with_service=no ;;
      --uninstall) uninstall=yes ;;
      --help | -h)
        usage
        exit 0
        ;;
      *) misused "unknown option: $1" ;;
    esac
    shift
  done
  require_plain_path --prefix "$prefix"
  require_plain_path --data "$data"
  require_root
  umask 022

  # An upgrade finds what the first install was told, so that the operator need not remember it.
  former_prefix=$(sed -n 's/^# prefix: //p' "$destination$unit" 2>/dev/null || :)
  prefix=${prefix:-${former_prefix:-/usr/local}}
  # No slash at the end; a prefix of / becomes empty.
  prefix=${prefix%"${prefix##*[!/]}"}
  executable="$prefix/bin/waxwing"

  if [ "$uninstall" = yes ]; then
    remove_service
    return 0
  fi
  if [ -n "$former_prefix" ] && [ "$former_prefix" != "$prefix" ]; then
    fail "waxwing is already installed under $former_prefix." \
      "run ./install.sh --uninstall first (the data stay), then this again"
  fi
  settle_release
  settle_data
  settle_service
  announce
  obtain_executable
  require_known_schema
  make_account
  make_data
  write_config
  if can_upgrade; then
    write_unit
    upgrade_executable
  else
    install_executable
    if [ "$with_service" = yes ]; then
      write_unit
      start_service
    fi
  fi
  say_next
}

# Sets $release: where the release is, or empty if the executable is built here.
settle_release() {
  if [ -n "$given_executable" ]; then
    [ -z "$release" ] || misused "--release and WAXWING_EXECUTABLE: name one of them."
    return 0
  fi
  if [ -z "$release" ] && [ "$is_checkout" = yes ]; then return 0; fi
  release=${release:-$RELEASE_ADDRESS}
  if [ -z "$release" ]; then
    fail "$root is not a checkout of Waxwing, and this install.sh knows no place of releases." \
      "name a release with --release, or clone the repository and run its ./install.sh"
  fi
  if [ -z "$public_key" ] && [ -z "$RELEASE_KEY" ]; then
    fail "this install.sh knows no key that verifies releases." "name the publisher's public key with --public-key FILE"
  fi
  has openssl || fail "the release's signature cannot be verified: there is no openssl." \
    "install openssl (version 3 or newer), then run this again"
  case $(uname -m) in
    x86_64 | amd64) platform=linux-x64 ;;
    aarch64 | arm64) platform=linux-arm64 ;;
    *) fail "there is no release for $(uname -m)." "build it: clone the repository and run its ./install.sh" ;;
  esac
}

# A service that runs is upgraded by its own executable, with a way back, if that knows how to.
can_upgrade() {
  [ "$with_service" = yes ] && [ -z "$destination" ] && [ -x "$executable" ] && ! cmp -s "$built" "$executable" &&
    systemctl is-active --quiet waxwing && "$executable" upgrade --help </dev/null >/dev/null 2>&1
}

upgrade_executable() {
  systemctl daemon-reload
  systemctl enable waxwing >&2 || fail_of_service "the service could not be enabled."
  if [ -n "$release" ]; then
    set -- --from "$workshop" --public-key "$workshop/key.pem"
  else
    set -- --built "$built"
  fi
  "$executable" --config "$config" upgrade "$@" </dev/null >&2 ||
    fail "the upgrade failed; the message above says what runs now." "journalctl -u waxwing -e shows what the new executable said"
  way_back=yes
  say "upgraded $executable: $version"
}

# Sets $built: verified, and not yet installed.
obtain_release() {
  workshop=$(mktemp -d) || fail "there is no place for temporary files." "set TMPDIR to a directory that can be written to"
  if [ -n "$public_key" ]; then
    cp "$public_key" "$workshop/key.pem" || fail "$public_key cannot be read." "check the path"
  else
    # In front of the key's 32 bytes: what says that they are an Ed25519 key.
    printf -- '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA%s\n-----END PUBLIC KEY-----\n' "$RELEASE_KEY" >"$workshop/key.pem"
  fi
  case $release in
    http://*.tar | http://*.tar.gz | http://*.tgz | https://*.tar | https://*.tar.gz | https://*.tgz)
      say "fetching $release"
      archive="$workshop/${release##*/}"
      download "$release" "$archive"
      ;;
    *) archive=$release ;;
  esac
  for name in SHA256SUMS SHA256SUMS.sig; do take_from_release "$name"; done
  openssl pkeyutl -verify -rawin -pubin -inkey "$workshop/key.pem" -in "$workshop/SHA256SUMS" \
    -sigfile "$workshop/SHA256SUMS.sig" </dev/null >/dev/null 2>&1 ||
    fail "$release is not signed by the key that is trusted; nothing has been installed." \
      "get the release and its key again from its publisher (and openssl 3, if this one is older)"
  for name in release.json "waxwing-$platform"; do
    take_from_release "$name"
    if [ "$(sha256_of "$workshop/$name")" != "$(sed -n "s/^\([0-9a-f]*\)  $name\$/\1/p" "$workshop/SHA256SUMS")" ]; then
      fail "$name of $release does not have the checksum that was signed; nothing has been installed." \
        "get the release again from its publisher"
    fi
  done
  # Beside its later place, where it can be run: /tmp may forbid that.
  mkdir -p "$destination$prefix/bin"
  verified="$destination$prefix/bin/.waxwing-release.$$"
  cp "$workshop/waxwing-$platform" "$verified"
  chmod 0755 "$verified"
  built=$verified
}

# take_from_release NAME: into $workshop, from the folder, archive or address $archive.
take_from_release() {
  case $archive in
    http://* | https://*)
      say "fetching $1"
      download "${archive%/}/$1" "$workshop/$1"
      return 0
      ;;
  esac
  if [ -d "$archive" ]; then
    cp "$archive/$1" "$workshop/$1" || fail "$archive has no file $1, which every release has." "check the path"
    return 0
  fi
  member=$(tar -tf "$archive" 2>/dev/null | grep -E "(^|/)$1\$" | head -n 1)
  if [ -z "$member" ] || ! tar -xOf "$archive" "$member" >"$workshop/$1"; then
    fail "$archive has no file $1, which every release has." "check the path"
  fi
}

# download ADDRESS FILE
download() {
  if has curl; then
    curl -fsSL --retry 2 -o "$2" "$1" </dev/null || fail "$1 could not be fetched." "check the address and the network"
  elif has wget; then
    wget -q -O "$2" "$1" </dev/null || fail "$1 could not be fetched." "check the address and the network"
  else
    fail "$1 cannot be fetched: there is neither curl nor wget." "install one of them, or download it and name the folder with --release"
  fi
}

# What ends up in a unit file, a TOML string and a shell command must need no escaping in any of them.
require_plain_path() {
  case $2 in
    '') return 0 ;;
    /*) ;;
    *) misused "$1 $2: give a full path, one that begins with /." ;;
  esac
  case $2 in
    *[!A-Za-z0-9/._@+,\ -]*) misused "$1 $2: only letters, digits, spaces and / . _ @ + , - can stand in it." ;;
    */../* | */.. | */./* | */.) misused "$1 $2: write it without . and .. parts." ;;
  esac
}

require_root() {
  if [ -n "$destination" ]; then return 0; fi
  [ "$(uname -s)" = Linux ] ||
    fail "the service install is for Linux." "./install.sh build makes an executable for this system, dist/waxwing"
  [ "$(id -u)" -eq 0 ] ||
    fail "installing the service needs root." "sudo ./install.sh, or only try it: ./install.sh dev"
}

# The configuration that is there decides where the data are; the unit and the advice must name the same place.
settle_data() {
  if [ -f "$destination$config" ]; then
    configured=$(config_value storage data)
    case $configured in
      '') fail "$config does not say where the data are." "add to it, under [storage]: data = \"${data:-/var/lib/waxwing}\"" ;;
      /*) ;;
      *) fail "data = \"$configured\" in $config is not a full path." "write it as one that begins with /" ;;
    esac
    require_plain_path "data = in $config:" "$configured"
    if [ -n "$data" ] && [ "${data%"${data##*[!/]}"}" != "${configured%"${configured##*[!/]}"}" ]; then
      fail "$config says that the data are in $configured, not in $data." \
        "leave --data out; or stop the service, move the directory and change the file first"
    fi
    data=$configured
  fi
  data=${data:-/var/lib/waxwing}
  data=${data%"${data##*[!/]}"}
  case $data in
    '' | /bin | /boot | /dev | /etc | /home | /lib | /opt | /proc | /root | /run | /srv | /sys | /tmp | /usr | /var | \
      /var/lib | /var/tmp | /usr/local)
      misused "--data ${data:-/}: it becomes private to the service; name a directory of its own, like /var/lib/waxwing."
      ;;
  esac
  # Another user's files must not become unreadable by new permissions.
  if [ -d "$destination$data" ] && [ -z "$destination" ] && [ ! -e "$data/waxwing.db" ] &&
    [ -n "$(ls -A "$data")" ] && [ "$(owner_of "$data")" != "$account" ]; then
    fail "$data is not empty and not waxwing's." "choose another directory with --data, or empty this one"
  fi
}

# config_value SECTION KEY: a quoted value of the configuration, or nothing.
config_value() {
  awk -v section="$1" -v key="$2" '
    /^[ \t]*\[/ { here = $0; gsub(/[][ \t\r]|#.*/, "", here); next }
    here == section && $0 ~ "^[ \t]*" key "[ \t]*=" {
      value = $0
      sub(/^[^=]*=[ \t]*/, "", value)
      quote = substr(value, 1, 1)
      if (quote != "\"" && quote != "\047") next
      value = substr(value, 2)
      print substr(value, 1, index(value, quote) - 1)
      exit
    }
  ' "$destination$config"
}

owner_of() {
  # shellcheck disable=SC2012 # the name is not read from the listing, and stat is not the same everywhere
  ls -ld -- "$1" | awk '{ print $3 }'
}

settle_service() {
  if [ "$with_service" = yes ] && [ -z "$destination" ] && { [ ! -d /run/systemd/system ] || ! has systemctl; }; then
    say "systemd does not run here: everything but the service will be installed"
    with_service=no
  fi
  if [ "$with_service" = no ]; then return 0; fi
  case $data/ in
    /tmp/* | /var/tmp/* | /dev/* | /proc/* | /sys/* | /run/*)
      misused "--data $data: the service cannot keep anything there; name a place that lasts, like /var/lib/waxwing."
      ;;
  esac
}

announce() {
  if [ -n "$destination" ]; then say "staging under $destination:"; else say "this is what happens now:"; fi
  if [ -n "$given_executable" ]; then
    step "take the executable $given_executable"
  elif [ -n "$release" ]; then
    step "take the executable of the release $release, and verify its signature and checksum"
  else
    step "build the executable in $root"
  fi
  if [ -e "$destination$executable" ]; then
    step "ask the new executable whether it can run on the database, if there is one"
    step "replace $executable, and keep the one that is there as $executable.previous"
  else
    step "install $executable"
  fi
  if [ -z "$destination" ] && ! id "$account" >/dev/null 2>&1; then
    step "make the system user and group $account, without a login"
  fi
  if [ -f "$destination$config" ]; then
    step "keep the configuration $config as it is"
  else
    step "write the configuration $config"
  fi
  step "keep the data in $data, private to the user $account"
  if [ "$with_service" = yes ]; then
    step "write $unit"
    if [ -z "$destination" ]; then step "enable the service waxwing, (re)start it and wait until it is ready"; fi
  fi
}

obtain_executable() {
  if [ -n "$given_executable" ]; then
    built=$given_executable
  elif [ -n "$release" ]; then
    obtain_release
  else
    built="$root/dist/waxwing"
    owner=$(owner_of "$root")
    # The owner of the checkout could not overwrite files that root leaves in it.
    if [ "$(id -u)" -eq 0 ] && [ "$owner" != root ] && id "$owner" >/dev/null 2>&1; then
      say "building as $owner, whose checkout this is"
      su -s /bin/sh "$owner" "$root/install.sh" build </dev/null >&2 || fail_of_build
    else
      sh "$root/install.sh" build </dev/null >&2 || fail_of_build
    fi
  fi
  if [ ! -f "$built" ] || [ ! -x "$built" ]; then
    fail "$built is not an executable file." "name one that is with WAXWING_EXECUTABLE, or leave that out to build it"
  fi
  # Better to learn it now than after the working one is gone.
  version=$("$built" version </dev/null 2>&1) ||
    fail "$built does not run on this machine: $version" "build it here: ./install.sh build"
}

# An older executable never starts on a newer database: better to learn that, too, while the working one is in its place.
# It only looks, and as the owner of the data. Sets $is_upgrade: yes where there is a database, so workspaces and users too.
require_known_schema() {
  database=''
  if [ -f "$destination$config" ]; then database=$(config_value storage path); fi
  case $database in
    '') database="$data/waxwing.db" ;;
    /*) ;;
    *) database="$data/$database" ;;
  esac
  if [ ! -e "$destination$database" ]; then return 0; fi
  is_upgrade=yes
  if [ -f "$destination$config" ]; then set -- --config "$destination$config"; else set -- --data "$destination$data"; fi
  refusal=$("$built" check --schema "$@" "$destination$database" </dev/null 2>&1 >/dev/null) && return 0
  if [ -n "$refusal" ]; then printf '%s\n' "$refusal" >&2; fi
  fail "$built does not say that it can run on $database; nothing has been replaced." \
    "install one at least as new as the one that is there; or go back by a restore: docs/operations.md, Upgrade"
}

fail_of_build() {
  fail "the build failed; nothing has been installed." "see the message above; ./install.sh build repeats it alone"
}

make_account() {
  if [ -n "$destination" ] || id "$account" >/dev/null 2>&1; then return 0; fi
  nologin=/bin/false
  for shell in /usr/sbin/nologin /sbin/nologin; do
    if [ -x "$shell" ]; then nologin=$shell && break; fi
  done
  if has useradd && has groupadd; then
    grep -q "^$account:" /etc/group || groupadd --system "$account" || fail_of_account
    useradd --system --gid "$account" --home-dir "$data" --no-create-home --shell "$nologin" "$account" ||
      fail_of_account
  elif has adduser && has addgroup; then
    grep -q "^$account:" /etc/group || addgroup -S "$account" || fail_of_account
    adduser -S -D -H -h "$data" -s "$nologin" -G "$account" "$account" || fail_of_account
  else
    fail_of_account
  fi
}

fail_of_account() {
  fail "the system user $account could not be made." "make a user and a group of that name, then run this again"
}

# Only the directory itself: what root does inside one that a service owns, a link there could turn against the machine.
# What the service can do itself it does itself; what is left is out of its reach, and so are the names on the way there.
make_data() {
  if [ -n "$destination" ]; then
    mkdir -p "$destination$data"
    chmod 0700 "$destination$data"
    return 0
  fi
  # shellcheck disable=SC2016 # it is the other shell that is to see the variable
  if as_account "$data" 'umask 077; mkdir -p "$DIRECTORY" && chmod 0700 "$DIRECTORY"'; then return 0; fi
  if [ -L "$data" ]; then
    fail "$data is a symbolic link, and $account may not keep its directory private." \
      "make the directory that it leads to $account's: chown $account:$account, or name that one with --data"
  fi
  require_out_of_reach "$(dirname -- "$data")"
  mkdir -p "$data"
  require_out_of_reach "$(CDPATH='' cd -P -- "$(dirname -- "$data")" && pwd -P)"
  chown -h "$account:$account" "$data"
  # shellcheck disable=SC2016 # as above
  as_account "$data" 'chmod 0700 "$DIRECTORY"' || fail "$account may not enter $data." \
    "let others enter (chmod o+x) the directories above it"
}

# as_account DIRECTORY COMMANDS: a shell of the account's, which finds the directory in $DIRECTORY. It keeps quiet.
as_account() {
  (cd / && DIRECTORY=$1 su -s /bin/sh "$account" -c "$2" </dev/null >/dev/null 2>&1)
}

# A directory that the account may write to is one where it may lay a link to any other. In one like /tmp, where each
# name belongs to its owner, it may not.
require_out_of_reach() {
  reach=$1
  while [ "$reach" != / ]; do
    # shellcheck disable=SC2016 # as above
    if [ -d "$reach" ] && as_account "$reach" 'test -w "$DIRECTORY"' && { [ ! -k "$reach" ] || [ "$(owner_of "$reach")" = "$account" ]; }; then
      fail "$data cannot be handed to $account: $account may put a link in its place, in $reach." \
        "make $data $account's yourself, or choose another directory with --data"
    fi
    reach=$(dirname -- "$reach")
  done
}

# It may come to hold secrets: only the service can read it, and the service cannot change it.
write_config() {
  if [ -f "$destination$config" ]; then return 0; fi
  directory=$(dirname -- "$destination$config")
  mkdir -p "$directory"
  chmod 0750 "$directory"
  unfinished="$directory/.waxwing.toml.$$"
  metrics_token=$(od -An -N 24 -tx1 /dev/urandom | tr -d ' \n')
  (
    umask 077
    cat >"$unfinished" <<END
# Waxwing's configuration. config.example.toml in the source lists every key with its default.
# After a change: sudo systemctl restart waxwing

[server]
listen = "127.0.0.1:8080"
# The name of this machine on the internet: the server then listens on port 443 (remove listen), fetches a certificate
# and renews it. Behind a proxy, set public_url instead: "https://messages.example.com"
# domain = "wa.example.com"
public_url = ""
# What a scraper of /metrics sends as its bearer token.
metrics_token = "$metrics_token"

[storage]
data = "$data"
END
  )
  if [ -z "$destination" ]; then chown "root:$account" "$directory" "$unfinished"; fi
  chmod 0640 "$unfinished"
  mv -f "$unfinished" "$destination$config"
  unfinished=''
}

# By rename: a running server keeps the file that it has open, and no moment is without a whole executable.
install_executable() {
  mkdir -p "$destination$prefix/bin"
  unfinished="$destination$prefix/bin/.waxwing.$$"
  cp "$built" "$unfinished"
  chmod 0755 "$unfinished"
  # Installing the same executable again keeps the previous one.
  if [ -f "$destination$executable" ] && ! cmp -s "$unfinished" "$destination$executable"; then
    ln -f "$destination$executable" "$unfinished.previous" 2>/dev/null ||
      cp -p "$destination$executable" "$unfinished.previous"
    mv -f "$unfinished.previous" "$destination$executable.previous"
  fi
  mv -f "$unfinished" "$destination$executable"
  unfinished=''
  say "installed $executable: $version"
}

write_unit() {
  # ProtectHome= would hide these directories altogether.
  case $data/:$prefix/ in
    /home/* | /root/* | *:/home/* | *:/root/*) protect_home=read-only ;;
    *) protect_home=yes ;;
  esac
  directory=$(dirname -- "$destination$unit")
  mkdir -p "$directory"
  unfinished="$directory/.waxwing.service.$$"
  cat >"$unfinished" <<END
# Written by Waxwing's install.sh, and again at every upgrade. Your own changes go into a drop-in that stays:
#   sudo systemctl edit waxwing
# prefix: $prefix

[Unit]
Description=Waxwing, a WhatsApp messaging server
Wants=network-online.target
After=network-online.target
# Messages wait for this server: after a full disk or a lost network it must come back, however long that took.
StartLimitIntervalSec=0

[Service]
# The server says when it is ready, however long a migration takes, and then that its loop turns.
Type=notify
NotifyAccess=main
TimeoutStartSec=infinity
WatchdogSec=90
User=$account
Group=$account
WorkingDirectory=$data
# What SQLite sorts may be large.
Environment="TMPDIR=$data/tmp"
ExecStartPre=-/bin/mkdir -p "$data/tmp"
# The SQLite driver's native part is unpacked here at the start: in memory, so that a full disk does not prevent the
# start, and allowed to run, whatever the machine's /tmp allows.
Environment="BUN_TMPDIR=/tmp"
TemporaryFileSystem=/tmp:mode=1777,size=32m
# While an upgrade is under way: a new executable that does not start is replaced by the old one. As root, and written by
# waxwing upgrade.
ExecStartPre=-+/bin/sh -c '[ ! -e "$executable.upgrade/guard" ] || exec /bin/sh "$executable.upgrade/guard"'
ExecStart="$executable" serve --config $config
# Certificates and the log level are read again.
ExecReload=/bin/kill -HUP \$MAINPID
Restart=always
RestartSec=5
# Requests and dispatches in flight are finished first.
TimeoutStopSec=30
LimitNOFILE=65536
# The runtime's own threads are a few dozen; more would belong to another program.
TasksMax=512
# The server needs 256 MB; what it takes beyond must not take the machine down with it.
MemoryMax=80%
# A memory image would hold keys and people's data.
LimitCORE=0
UMask=0077

# MemoryDenyWriteExecute= is missing on purpose: the JavaScript engine compiles at run time.
NoNewPrivileges=yes
# Ports 80 and 443 without root, and nothing else.
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
AmbientCapabilities=CAP_NET_BIND_SERVICE
ProtectSystem=strict
ReadWritePaths="$data"
ProtectHome=$protect_home
InaccessiblePaths=-/var/tmp
PrivateDevices=yes
PrivateMounts=yes
ProtectProc=invisible
KeyringMode=private
ProtectClock=yes
ProtectHostname=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
# Netlink tells the server the addresses of this machine.
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RemoveIPC=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
# What is not allowed fails like a missing permission, instead of killing the server.
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
END
  chmod 0644 "$unfinished"
  mv -f "$unfinished" "$destination$unit"
  unfinished=''
}

start_service() {
  if [ -n "$destination" ]; then return 0; fi
  say "starting the service"
  systemctl daemon-reload
  systemctl enable waxwing >&2 || fail_of_service "the service could not be enabled."
  systemctl restart waxwing || fail_of_service "the service did not start."
  settle_address
  waited=0
  # The service's own state as well: something else may be answering on that port.
  until systemctl is-active --quiet waxwing && answers "$address/readyz"; do
    waited=$((waited + 1))
    if [ "$waited" -gt 60 ]; then
      fail_of_service "the service is not ready after a minute (a long migration may be under way)."
    fi
    sleep 1
  done
  say "ready at $address"
}

fail_of_service() {
  if has journalctl; then journalctl -u waxwing -n 20 --no-pager >&2 || :; fi
  if [ -f "$executable.previous" ]; then
    say "the executable before this one is $executable.previous; to put it back, where the database's schema is the same:"
    step "sudo WAXWING_EXECUTABLE=$(quoted "$executable.previous") ./install.sh"
  fi
  fail "$1" "journalctl -u waxwing -e shows why; after a change: sudo systemctl restart waxwing"
}

# Sets $address: where this machine itself reaches the server.
settle_address() {
  listen=$(config_value server listen)
  listen=${listen:-127.0.0.1:8080}
  case $listen in
    0.0.0.0:* | \[::\]:* | :*) listen="127.0.0.1:${listen##*:}" ;;
  esac
  if [ -n "$(config_value server domain)" ]; then
    if [ -z "$(config_value server listen)" ]; then listen=127.0.0.1; fi
    address="https://$listen"
  elif [ -n "$(config_value server tls_cert)" ]; then address="https://$listen"; else address="http://$listen"; fi
}

# answers URL: is it a 2xx? Never through a proxy. The executable can ask itself where there is neither curl nor wget.
answers() {
  (
    unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
    if has curl; then
      curl -fsk --max-time 5 -o /dev/null "$1"
    elif has wget; then
      wget -q -T 5 --no-check-certificate -O /dev/null "$1"
    else
      BUN_BE_BUN=1 "$executable" -e "
        const answer = await fetch('$1', { signal: AbortSignal.timeout(5000), tls: { rejectUnauthorized: false } });
        process.exit(answer.ok ? 0 : 1);"
    fi
  ) </dev/null >/dev/null 2>&1
}

say_next() {
  if [ -n "$destination" ]; then
    say "staged under $destination"
    return 0
  fi
  settle_address
  if [ "$is_upgrade" = yes ]; then
    say_upgraded
    return 0
  fi
  say "done. Next:"
  if [ "$with_service" = no ]; then
    step "start the server (it stays in the foreground):"
    step "  su -s /bin/sh $account -c 'exec \"$executable\" serve --config $config'"
  fi
  step "step by step, with questions (domain, backups, operator, number, first message):"
  step "  sudo $(quoted "$executable") setup"
  step "or yourself. Create the first operator of the console (prints a link that works once):"
  step "  sudo $(quoted "$executable") user create --email YOU@EXAMPLE.COM --role operator"
  step "  (the first start has also written such a link: sudo cat $(quoted "$data/setup-link"))"
  step "make a workspace and a key for its software:"
  step "  sudo $(quoted "$executable") workspace create --name \"My business\" --country IN --timezone Asia/Kolkata"
  step "  sudo $(quoted "$executable") key create --workspace ID"
  step "add a number: a simulated one, or see docs/whatsapp.md:"
  step "  sudo $(quoted "$executable") number add --workspace ID --phone PHONE --name NAME --network simulator"
  step "and ask who it is:"
  step "  curl -H 'Authorization: Bearer KEY' $address/api/v1/me"
  step "settings: $config   data: $data   everyday commands: docs/operations.md"
  if [ -n "$release" ]; then upgrade="sudo $(quoted "$executable") upgrade"; else upgrade="git pull && sudo ./install.sh"; fi
  if [ "$with_service" = yes ]; then step "log: journalctl -u waxwing -f   upgrade: $upgrade"; fi
}

# What is true where there was a database before: nothing has to be set up again.
say_upgraded() {
  # The lines after the first are for reports of faults.
  current=$(printf '%s\n' "$version" | sed -n 1p)
  if [ "$with_service" = yes ]; then
    say "done: the service runs $current at $address, on the data that were there."
  else
    say "done: $executable is $current. A server that runs still has the previous executable: restart it."
  fi
  step "what needs attention now: sudo $(quoted "$executable") status"
  if [ "$way_back" = yes ]; then
    step "back to the executable before this one: sudo $(quoted "$executable") upgrade back"
  elif [ -f "$executable.previous" ]; then
    step "the executable before this one, for a database of the same schema: $executable.previous"
  fi
  step "settings: $config   data: $data"
  if [ "$with_service" = yes ]; then step "log: journalctl -u waxwing -f"; fi
}

quoted() {
  case $1 in
    *' '*) printf "'%s'" "$1" ;;
    *) printf '%s' "$1" ;;
  esac
}

remove_service() {
  kept=''
  if [ -f "$destination$config" ]; then kept=$(config_value storage data); fi
  kept=${kept:-${data:-/var/lib/waxwing}}
  if [ ! -e "$destination$unit" ] && [ ! -e "$destination$executable" ]; then
    say "neither $executable nor $unit is there: nothing to remove"
    if [ "$prefix" = /usr/local ]; then step "installed under another prefix? add --prefix DIR"; fi
    return 0
  fi
  say "this is what happens now:"
  if [ -e "$destination$unit" ]; then step "stop and disable the service waxwing, remove $unit"; fi
  if [ -e "$destination$executable" ]; then step "remove $executable and the previous one"; fi
  if [ -e "$destination$unit" ]; then
    if [ -z "$destination" ] && [ -d /run/systemd/system ] && has systemctl; then
      systemctl disable --now waxwing >&2 ||
        fail "the service could not be stopped; nothing has been removed." "systemctl status waxwing shows why"
    fi
    rm -f "$destination$unit"
    if [ -z "$destination" ] && [ -d /run/systemd/system ] && has systemctl; then systemctl daemon-reload; fi
  fi
  rm -f "$destination$executable" "$destination$executable.previous"
  rm -rf "$destination$executable.upgrade"
  say "removed. These stay:"
  step "data           $kept (database, master key, media, imports and backups, unless they are named here)"
  gone="$(quoted "$kept") /etc/waxwing"
  name_kept "database" storage path
  name_kept "master key" secrets key_file
  name_kept "media" media directory
  name_kept "backups" backup directory
  if [ -d "$destination$unit.d" ]; then
    step "drop-ins       $unit.d"
    gone="$gone $unit.d"
  fi
  step "configuration  $config"
  step "log            what the service wrote to the system's journal"
  step "user, group    $account"
  step "sudo ./install.sh takes them up again where they are. To be rid of them for good, for which there is no way back:"
  step "  sudo rm -rf $gone && sudo userdel $account"
}

# name_kept WHAT SECTION KEY: what the configuration puts elsewhere stays there.
name_kept() {
  if [ ! -f "$destination$config" ]; then return 0; fi
  path=$(config_value "$2" "$3")
  case $path in
    '' | "$kept"/*) return 0 ;;
    /*) ;;
    # As the service reads it, which runs there.
    *) path="$kept/$path" ;;
  esac
  step "$(printf '%-14s' "$1") $path"
  case $path in
    "$kept"/*) ;;
    *) gone="$gone $(quoted "$path")" ;;
  esac
}

# --- Which of them ----------------------------------------------------------------------------------------------------

root=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
is_checkout=yes
if [ ! -f "$root/scripts/build.ts" ] || [ ! -f "$root/bun.lock" ]; then is_checkout=no; fi

destination=${DESTDIR:-}
case $destination in
  '' | /*) ;;
  *) destination="$(pwd)/$destination" ;;
esac
destination=${destination%/}
given_executable=${WAXWING_EXECUTABLE:-}
# To the executable itself it would be a setting, one that it does not know.
unset WAXWING_EXECUTABLE
case $given_executable in
  '' | /*) ;;
  *) given_executable="$(pwd)/$given_executable" ;;
esac

# A run that is broken off leaves no half-written file behind.
unfinished='' verified='' workshop=''
trap 'rm -f "${unfinished:-/nonexistent}" "${verified:-/nonexistent}"; if [ -n "$workshop" ]; then rm -rf "$workshop"; fi' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

case ${1:-} in
  dev | test | build | audit | release)
    subcommand=$1
    [ "$is_checkout" = yes ] ||
      fail "install.sh $1 works inside a checkout of Waxwing, and $root is none." "clone the repository and run its ./install.sh"
    shift
    "run_$subcommand" "$@"
    ;;
  help)
    usage
    ;;
  '' | -*)
    run_service "$@"
    ;;
  *)
    misused "unknown subcommand: $1"
    ;;
esac
